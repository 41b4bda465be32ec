#include <algorithm>
#include <utility>

#include "cli/commands.h"
#include "plan/promotion.h"
#include "plan/step_id.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_run.h"
#include "prepare/read_scope.h"
#include "prepare/run_forecast.h"
#include "prepare/version_facts.h"
#include "report/explanation.h"
#include "report/forecast_text.h"

namespace pinwheel::cli {
namespace {

/// Whether the steps of a variant or a build of the scope would run again, and why; empty if
/// nothing was run before.
Result<std::string> forecast_of_id(const prepare::Host& host, prepare::RunScope scope,
                                   const std::string& id, Streams& streams) {
  const std::string variant = plan::variant_of(id);
  plan::Outline outline;
  for (const plan::BuildGroup& group : scope.outline.builds) {
    const bool tests =
        std::find(group.tests.begin(), group.tests.end(), variant) != group.tests.end();
    if (!tests && id != plan::build_id(group.cls.id)) continue;
    outline.builds = {{group.cls, tests ? std::vector{variant} : std::vector<std::string>()}};
  }
  if (outline.builds.empty()) return std::string();
  scope.outline = outline;
  TRY(const std::optional<prepare::RunForecast> forecast,
      prepare::forecast_run(host, scope, streams));
  if (!forecast) return std::string();
  std::string out;
  for (const run::Forecast& step : forecast->steps) {
    const bool of_it =
        step.id == plan::build_id(outline.builds[0].cls.id) || plan::variant_of(step.id) == variant;
    if (of_it) out += report::forecast_lines(step);
  }
  return out;
}

/// The contents and the users of an environment or a toolkit, and whether it would be made again.
Result<std::string> environment_text(const prepare::Host& host, prepare::RunScope scope,
                                     const std::string& id, Streams& streams) {
  TRY(const std::optional<prepare::RunForecast> forecast,
      prepare::forecast_run(host, scope, streams));
  plan::Plan plan;
  if (forecast) {
    plan = forecast->plan;
  } else {
    TRY(const prepare::RunScope tests, prepare::up_to(plan::Stage::test, std::move(scope)));
    TRY(plan, prepare::decide_plan(tests, prepare::plan_facts(tests.version, {})));
  }
  TRY(std::string text, report::explain_environment(plan, id));
  if (!forecast) return text;
  for (const run::Forecast& step : forecast->steps) {
    if (step.id == id) text += report::forecast_lines(step);
  }
  return text;
}

Result<std::string> variant_text(const prepare::Host& host, prepare::RunScope scope,
                                 const std::string& id, Streams& streams) {
  const prepare::Loaded& loaded = scope.loaded;
  TRY(const plan::Namings namings, prepare::name_builds(loaded, scope.outline, scope.version));
  const auto installs = plan::channel_installs(loaded.matrix, loaded.expansion);
  TRY(const std::string text,
      report::explain({loaded.matrix, loaded.expansion, loaded.classes, namings, installs}, id));
  TRY(const std::string would, forecast_of_id(host, std::move(scope), id, streams));
  return text + would;
}

}  // namespace

Result<int> cmd_explain(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const ExplainOptions& options, Streams& streams) {
  TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, options.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, "`explain` takes one id",
                "`pinwheel plan --format ids` lists them; `build:CLASS` names a build, and "
                "`pinwheel env list` the environments");
  }
  prepare::SelectionOptions selection;
  selection.channel = options.channel;
  prepare::ScopeRequest request{global, choice, selection, options.levels};
  request.part = prepare::ScopePart::whole;
  TRY(prepare::RunScope scope, prepare::read_scope(host, request, streams));
  const std::string& id = choice.globs[0];
  TRY(const std::string text, plan::prepares(id)
                                  ? environment_text(host, std::move(scope), id, streams)
                                  : variant_text(host, std::move(scope), id, streams));
  streams.lines(text);
  return 0;
}

}  // namespace pinwheel::cli
