#include "prepare/run_forecast.h"

#include <filesystem>
#include <utility>

#include "host/git/source_tree.h"
#include "host/run/journal_file.h"
#include "plan/known_results.h"
#include "prepare/budget.h"
#include "prepare/build_facts.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_run.h"
#include "run/reuse.h"
#include "store/domain.h"

namespace pinwheel::prepare {

namespace {

bool is_stop_or_bug(ErrorKind kind) {
  return kind == ErrorKind::interrupted || kind == ErrorKind::terminated ||
         kind == ErrorKind::internal;
}

/// Warns that there is no forecast: the plan is valid without it. A stop and a bug remain errors.
Done warn_of_missing_forecast(Error error, ports::Notices& notices) {
  if (is_stop_or_bug(error.kind)) return fail(std::move(error));
  error.message = "a run here would stop before its first step: " + error.message;
  notices.warn(error);
  return {};
}

/// The last stage of a full run.
plan::Stage last_stage(const RunScope& scope) {
  return scope.version.targets.empty() ? plan::Stage::test : plan::Stage::publish;
}

/// The names and sizes of the files of a package; nothing about an sdist from an index.
Result<SourceFacts> outline_source(const Host& host, const RunScope& scope,
                                   const matrix::Package& package) {
  SourceFacts facts;
  if (!package.requirement.empty()) return facts;
  TRY(const std::filesystem::path directory, package_directory(host, scope.loaded.matrix, package));
  TRY(facts.source, host::list_source(host.git, directory, {}));
  TRY(facts.wheel_source,
      host::read_wheel_source(facts.source, {package.name, package.ignored, {}}));
  return facts;
}

Result<BuildFacts> outline_sources(const Host& host, const RunScope& scope) {
  BuildFacts facts;
  TRY(facts.package, outline_source(host, scope, scope.loaded.matrix.package));
  for (const matrix::FamilyMember& member : scope.loaded.matrix.family) {
    TRY(facts.family[member.package.name], outline_source(host, scope, member.package));
  }
  return facts;
}

/// The forecast of steps that never ran. Takes their ids.
std::vector<run::Forecast> guesses_of(std::vector<plan::TimedStep>& steps) {
  std::vector<run::Forecast> guesses;
  guesses.reserve(steps.size());
  for (plan::TimedStep& step : steps) {
    run::Forecast& guess = guesses.emplace_back();
    guess.id = std::move(step.id);
    guess.seconds = step.predicted_seconds;
  }
  return guesses;
}

}  // namespace

Result<std::optional<RunForecast>> forecast_run(const Host& host, const RunScope& scope,
                                                ports::Notices& notices) {
  const std::filesystem::path state = scope.global.state_dir;
  if (host.files.resolved_type(state) == ports::FileType::missing) return std::nullopt;
  const Result<store::Domain> own = store::choose_domain({}, host.variables);
  if (!own) {
    TRY_DONE(warn_of_missing_forecast(own.error(), notices));
    return std::nullopt;
  }
  TRY(const run::History history, host::read_journal(state, *own));
  if (history.latest.empty() && history.unfinished.empty()) return std::nullopt;
  TRY(const RunScope whole, up_to(last_stage(scope), scope));
  Result<PreparedRun> prepared = prepare_run(host, whole, FromRecord{}, notices);
  if (!prepared) {
    TRY_DONE(warn_of_missing_forecast(std::move(prepared).error(), notices));
    return std::nullopt;
  }
  const auto digests = digest_outputs(prepared->plan, history);
  plan::Results results = run::still_valid(run::results_of(prepared->plan, history), digests);
  plan::Plan plan = plan::without_unused_device_code(std::move(prepared->plan), results);
  RunForecast forecast{
      {}, run::forecast(plan, history, digests), std::move(prepared->gathered.recorded)};
  forecast.results = std::move(results);
  forecast.plan = std::move(plan);
  return forecast;
}

Result<RunForecast> outline_run(const Host& host, const RunScope& scope) {
  TRY(const plan::PlanOptions options, options_up_to(last_stage(scope), scope));
  const Result<BuildFacts> sources = outline_sources(host, scope);
  if (!sources && is_stop_or_bug(sources.error().kind)) return fail(sources.error());
  plan::PlanFacts facts = plan_facts(scope.version, sources ? *sources : BuildFacts{});
  facts.durations = earlier_durations(scope.global.state_dir);
  RunForecast forecast;
  const bool measured = !facts.durations.steps.empty() || !facts.durations.kinds.empty();
  if (!measured) {
    TRY(forecast.timed, plan::make_timed_steps(scope.loaded.matrix, scope.loaded.expansion,
                                               scope.outline, facts, options));
    forecast.steps = guesses_of(forecast.timed);
    return forecast;
  }
  TRY(forecast.plan,
      plan::make_plan(scope.loaded.matrix, scope.loaded.expansion, scope.outline, facts, options));
  forecast.steps = run::forecast(forecast.plan, {}, {});
  for (run::Forecast& step : forecast.steps) step.because.clear();
  return forecast;
}

Result<run::PredictedRun> predict_duration(const Host& host, const RunForecast& forecast,
                                           std::optional<int> slots) {
  if (!forecast.timed.empty()) {
    const run::WantedResources wanted = run::wanted_resources(forecast.timed);
    if (slots) return run::predict_run(forecast.timed, run::slots_budget(wanted, *slots));
    TRY(const run::Budget budget, budget_of(host.variables, {}));
    return run::predict_run(forecast.timed, budget);
  }
  if (slots) {
    return run::predict_run(forecast.plan, run::slots_budget(forecast.plan, *slots),
                            forecast.results);
  }
  TRY(const run::Budget budget, budget_of(host.variables, {}));
  return run::predict_run(forecast.plan, budget, forecast.results);
}

}  // namespace pinwheel::prepare
