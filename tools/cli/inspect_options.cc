#include "cli/inspect_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {

void add_inspect(CLI::App& program, InspectOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "inspect", "what wheels hold and require; `--check` applies the gate that `build` applies");
  app.add_option("files", options.files,
                 "wheels, shared libraries, objects, directories, `https://...whl`; two wheels "
                 "alone are compared")
      ->type_name("FILE");
  app.add_flag("--check", options.check, "exit 5 when a rule is broken, warnings aside");
  app.add_flag("--strict", options.strict, "with `--check`, let warnings fail too");
  app.add_flag("--rules", options.rules, "list the rules");
  app.add_option("--select", options.select, "judge this rule alone; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--ignore", options.ignore, "leave out this rule")->allow_extra_args(false);
  app.add_option("--arch-list", options.arch_list,
                 "the architectures that device code must hold, `8.0;9.0a;12.0+PTX`");
  app.add_option("--size-limit", options.size_limit, "largest file allowed, `100 MB`");
  app.add_option("--budget", options.budget,
                 "say what to leave out so that the wheel comes under this size, `100 MB`");
  app.add_option("--torch", options.torch,
                 "judge the symbols on every known build of torch in this range, "
                 "`torch>=2.13,<2.14` (rule `undefined-symbols`)")
      ->type_name("RANGE");
  CLI::Option* const matrix = app.add_option("--matrix", options.matrix,
                                             "judge by what this matrix wants of its wheels: "
                                             "checks, arch list, size, torch")
                                  ->type_name("MATRIX.yaml");
  app.add_option(
         "--variant", options.variant,
         "with `--matrix`, the variant or build that a wheel is of (default: as the wheel's "
         "own record says)")
      ->type_name("ID")
      ->needs(matrix);
  app.add_flag("--json", options.json, "as JSON");
}

}  // namespace pinwheel::cli
