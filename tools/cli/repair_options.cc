#include "cli/repair_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {

void add_repair(CLI::App& program, RepairOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "repair", "bundle the system libraries that a wheel needs, like auditwheel repair");
  app.add_option("wheels", options.wheels, "the wheels")->type_name("WHEEL")->required();
  app.add_option("--plat", options.platform,
                 "the platform it must run on, `manylinux_2_28`, `musllinux_1_2` (default: the "
                 "oldest possible)")
      ->type_name("TAG");
  app.add_option("--exclude", options.exclude,
                 "a library that others provide, `libfoo.so.*`; may be repeated")
      ->type_name("GLOB")
      ->allow_extra_args(false);
  app.add_option("--out", options.out, "the directory of the new wheel (default: --output-dir)")
      ->type_name("DIR");
  app.add_option("--epoch", options.epoch, "the timestamp of every member, in seconds since 1970")
      ->envname("SOURCE_DATE_EPOCH");
  app.add_flag("--dry-run", options.dry_run, "show the changes, and write nothing");
  app.add_flag("--json", options.json, "as JSON");
}

}  // namespace pinwheel::cli
