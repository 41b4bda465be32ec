#include "cli/compat_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {

void add_compat(CLI::App& program, CompatOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "compat", "show where a wheel loads: torch, Python, distributions, drivers");
  app.add_option("wheel", options.wheel, "a wheel, as a path or `https://...whl`")
      ->type_name("WHEEL")
      ->required();
  app.add_option("--require", options.require,
                 "exit 5 if a known build in this range does not load, `torch>=2.10`")
      ->type_name("RANGE");
  app.add_option("--torch", options.torch, "only these releases or builds, `2.13`, `2.13.0+cpu`")
      ->type_name("VERSION")
      ->allow_extra_args(false);
  app.add_option("--with", options.with, "another wheel to install as well")
      ->type_name("WHEEL")
      ->allow_extra_args(false);
  app.add_option("--installed", options.installed,
                 "the torch in this site-packages directory or of this Python, as one more build")
      ->type_name("PLACE")
      ->allow_extra_args(false);
  app.add_option("--external", options.external,
                 "a library that something else provides, `libavcodec.so.*`")
      ->type_name("SONAME")
      ->allow_extra_args(false);
  app.add_flag(
      "--run", options.run,
      "install it with real torch releases and load it: those of `--torch` and `--installed`, else "
      "the newest with which it loads according to its symbols; exit 5 if a requested one fails");
  app.add_option("--smoke", options.smoke, "with `--run`, a shell command that must succeed")
      ->type_name("COMMAND");
  app.add_option("--timeout", options.timeout,
                 "with `--run`, the time limit of each process that tries the wheel")
      ->type_name("TIME")
      ->capture_default_str();
  app.add_flag("--json", options.json, "as JSON");
}

}  // namespace pinwheel::cli
