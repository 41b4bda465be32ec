#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "cli/load.h"
#include "cli/run_forecast.h"
#include "cli/version_facts.h"
#include "host/git/git.h"
#include "host/system/files.h"
#include "plan/step_id.h"
#include "report/explanation.h"
#include "report/forecast_text.h"

namespace pinwheel::cli {
namespace {

/// Whether the steps of a variant or a build of the scope would run again, and why; empty if
/// nothing has been run.
Result<std::string> forecast_of_id(RunScope scope, const std::string& id, Streams& streams) {
  const std::string variant = plan::variant_of(id);
  plan::Outline outline;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    const bool tests =
        std::find(group.tests.begin(), group.tests.end(), variant) != group.tests.end();
    if (!tests && id != "build:" + group.cls.id) continue;
    outline.builds = {{group.cls, tests ? std::vector{variant} : std::vector<std::string>()}};
  }
  if (outline.builds.empty()) return std::string();
  scope.outline = outline;
  TRY(const std::optional<RunForecast> forecast, forecast_run(std::move(scope), streams));
  if (!forecast) return std::string();
  std::string out;
  for (const journal::Forecast& step : forecast->steps) {
    const bool of_it =
        step.id == "build:" + outline.builds[0].cls.id || plan::variant_of(step.id) == variant;
    if (of_it) out += report::forecast_lines(step);
  }
  return out;
}

}  // namespace

Result<int> cmd_explain(const GlobalOptions& global, const ExplainOptions& options,
                        Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  TRY(const MatrixChoice choice, choose_matrix(files, options.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, "`explain` takes one id",
                "`pinwheel plan --format ids` lists them; `build:CLASS` names a build");
  }
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, Warnings::tell));
  TRY(const VersionFacts version,
      gather_version_facts(files, git, loaded, options.channel, {}, streams.log()));
  const plan::Outline whole = plan::make_outline(loaded.classes, loaded.expansion.variants);
  TRY(const plan::Namings namings, name_builds(loaded, whole, version));
  TRY(const std::string text,
      report::explain({loaded.matrix, loaded.expansion, loaded.classes, namings}, choice.globs[0]));
  TRY(const std::string would,
      forecast_of_id({global, loaded, whole, options.levels, version}, choice.globs[0], streams));
  streams.data(text + would);
  return 0;
}

}  // namespace pinwheel::cli
