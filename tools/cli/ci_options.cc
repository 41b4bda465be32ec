#include "cli/ci_options.h"

#include <CLI/CLI.hpp>

#include "cli/shared_options.h"

namespace pinwheel::cli {
namespace {

void add_place(CLI::App& app, CiPlace& place) {
  app.add_option("matrix", place.matrix, "the matrix file")->type_name("MATRIX.yaml");
  app.add_option("--out", place.out,
                 "the directory of the files (default: .github/workflows, .gitlab or kubernetes "
                 "of the checkout)")
      ->type_name("DIR");
  add_choice<CiService>(app, "--for", place.service,
                        {{"github", CiService::github},
                         {"gitlab", CiService::gitlab},
                         {"kubernetes", CiService::kubernetes}},
                        "the service that runs the jobs (default: github)");
  app.add_option("--set", place.sets, "only these: ci, nightly, release (default: all)")
      ->type_name("SET")
      ->delimiter(',')
      ->check(CLI::IsMember({"ci", "nightly", "release"}));
}

}  // namespace

void add_ci(CLI::App& program, CiCommands& ci) {
  CLI::App& app =
      *program.add_subcommand("ci", "write workflows for GitHub Actions, GitLab or Kubernetes");
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
