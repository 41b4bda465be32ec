#include "cli/init_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {

void add_init(CLI::App& program, InitOptions& options) {
  CLI::App& app = *program.add_subcommand(
      "init",
      "write a matrix file for a project that has none; runs no project code without --prove");
  app.add_option("directory", options.directory, "the project's directory (default: this one)")
      ->type_name("[DIR]");
  app.add_option("--from", options.from, "an sdist on the index instead of a directory")
      ->type_name("NAME==VERSION");
  app.add_option("--out", options.out,
                 "the file to write, `-` for stdout (default: matrix/NAME.yaml below DIR)")
      ->type_name("FILE");
  app.add_option("--python", options.pythons, "the Pythons to build for, instead of the project's")
      ->type_name("X.Y")
      ->delimiter(',');
  app.add_option("--compute", options.computes,
                 "the computes to build for, instead of the CPU or the project's")
      ->type_name("cpu|cuda/X.Y|rocm/X.Y|xpu")
      ->delimiter(',');
  app.add_option("--torch", options.torches,
                 "the releases of torch to build for, instead of the newest")
      ->type_name("X.Y")
      ->delimiter(',');
  app.add_flag(
      "--prove", options.prove,
      "build a wheel for the first available Python, and write the widest `abi` that it supports");
  app.add_flag("--json", options.json, "print the findings and decisions as JSON");
}

}  // namespace pinwheel::cli
