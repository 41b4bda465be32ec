#include "prepare/run_forecast.h"

#include <filesystem>
#include <utility>

#include "host/run/journal_file.h"
#include "prepare/budget.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/prepare_run.h"
#include "run/reuse.h"
#include "run/wall_time.h"
#include "store/domain.h"

namespace pinwheel::prepare {

namespace {

/// Warns that there is no forecast: the plan is valid without it. A stop and a bug remain errors.
Done warn_of_missing_forecast(Error error, ports::Notices& notices) {
  const ErrorKind kind = error.kind;
  if (kind == ErrorKind::interrupted || kind == ErrorKind::terminated ||
      kind == ErrorKind::internal) {
    return fail(std::move(error));
  }
  error.message = "a run here would stop before its first step: " + error.message;
  notices.warn(error);
  return {};
}

}  // namespace

Result<std::optional<RunForecast>> forecast_run(const Host& host, RunScope scope,
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
  const plan::Stage stage =
      scope.version.targets.empty() ? plan::Stage::test : plan::Stage::publish;
  TRY(scope, up_to(stage, std::move(scope)));
  Result<PreparedRun> prepared = prepare_run(host, scope, FromRecord{}, notices);
  if (!prepared) {
    TRY_DONE(warn_of_missing_forecast(std::move(prepared).error(), notices));
    return std::nullopt;
  }
  const auto digests = digest_outputs(prepared->plan, history);
  RunForecast forecast{
      {}, run::forecast(prepared->plan, history, digests), std::move(prepared->gathered.recorded)};
  TRY(const run::Budget budget, budget_of(host.variables, {}));
  const plan::Results results = run::still_valid(run::results_of(prepared->plan, history), digests);
  forecast.wall_time = run::predicted_wall_time(prepared->plan, budget, results);
  forecast.cores = budget.cores;
  forecast.plan = std::move(prepared->plan);
  return forecast;
}

}  // namespace pinwheel::prepare
