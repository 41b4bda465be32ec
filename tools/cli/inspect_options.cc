#include "cli/inspect_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {

void add_inspect(CLI::App& program, InspectOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "inspect",
      "show the contents and requirements of wheels; `--check` applies the same checks as `build`");
  app.add_option("files", options.files,
                 "wheels, shared libraries, objects, directories, `https://...whl`; two wheels are "
                 "compared")
      ->type_name("FILE");
  app.add_flag("--check", options.check, "exit 5 if a rule with severity error is violated");
  app.add_flag("--strict", options.strict, "with `--check`, fail on warnings too");
  app.add_flag("--rules", options.rules, "list the rules");
  app.add_option("--select", options.select, "check only this rule; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--ignore", options.ignore, "skip this rule")->allow_extra_args(false);
  app.add_option("--arch-list", options.arch_list,
                 "the architectures that device code must have, `8.0;9.0a;12.0+PTX`");
  app.add_option("--size-limit", options.size_limit, "largest file allowed, `100 MB`");
  app.add_option("--budget", options.budget,
                 "suggest parts to remove so that the wheel stays below this size, `100 MB`");
  app.add_option("--torch", options.torch,
                 "check the symbols against every known build of torch in this range, "
                 "`torch>=2.13,<2.14` (rule `undefined-symbols`)")
      ->type_name("RANGE");
  CLI::Option* const matrix =
      app.add_option("--matrix", options.matrix,
                     "apply the requirements of this matrix: checks, arch list, size, torch")
          ->type_name("MATRIX.yaml");
  app.add_option("--variant", options.variant,
                 "with `--matrix`, the variant or build of the wheel (default: from the wheel's "
                 "own record)")
      ->type_name("ID")
      ->needs(matrix);
  app.add_flag("--json", options.json, "as JSON");
}

}  // namespace pinwheel::cli
