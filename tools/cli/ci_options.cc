#include "cli/ci_options.h"

#include <CLI/CLI.hpp>

namespace pinwheel::cli {
namespace {

void add_place(CLI::App& app, CiPlace& place) {
  app.add_option("matrix", place.matrix, "the matrix file")->type_name("MATRIX.yaml");
  app.add_option("--out", place.out,
                 "the directory of the workflows (default: .github/workflows of the checkout)")
      ->type_name("DIR");
  app.add_option("--set", place.sets, "only these: ci, nightly, release (default: all)")
      ->type_name("SET")
      ->delimiter(',')
      ->check(CLI::IsMember({"ci", "nightly", "release"}));
}

}  // namespace

void add_ci(CLI::App& program, CiCommands& ci) {
  CLI::App& app =
      *program.add_subcommand("ci", "write workflows for GitHub Actions from the matrix");
  app.require_subcommand(1);
  CLI::App& generate = *app.add_subcommand(
      "generate", "write the workflows that plan, build, test and publish the matrix");
  add_place(generate, ci.generate.place);
  generate.add_flag("--json", ci.generate.json, "the files, and whether each has changed, as JSON");
  CLI::App& check = *app.add_subcommand(
      "check", "show how the workflows differ from the matrix; exit 7 if they do");
  add_place(check, ci.check.place);
  check
      .add_option("--updates", ci.check.updates,
                  "compare the actions' pins with this file of lines `ACTION VERSION COMMIT`")
      ->type_name("FILE");
  CLI::App& explain =
      *app.add_subcommand("explain", "explain a job: why it exists, its runner, time and variants");
  explain.add_option("arguments", ci.explain.arguments, "a job or a step, and the matrix file")
      ->type_name("JOB [MATRIX.yaml]")
      ->required();
  explain.add_option("--channel", ci.explain.channel, "a channel of the matrix")
      ->envname("PINWHEEL_CHANNEL");
  explain.add_flag("--json", ci.explain.json, "as JSON");
}

}  // namespace pinwheel::cli
