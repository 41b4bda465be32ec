#include "cli/run_forecast.h"

#include <filesystem>
#include <utility>

#include "cli/budget.h"
#include "cli/earlier_results.h"
#include "cli/prepare_run.h"
#include "host/steps/journal_file.h"
#include "journal/reuse.h"
#include "run/wall_time.h"

namespace pinwheel::cli {

Result<std::optional<RunForecast>> forecast_run(RunScope scope, Streams& streams) {
  const std::filesystem::path state = scope.global.state_dir;
  std::error_code absent;
  if (!std::filesystem::exists(state, absent)) return std::nullopt;
  TRY(const journal::History history, host::read_journal(state));
  if (history.latest.empty() && history.unfinished.empty()) return std::nullopt;
  const plan::Stage stage =
      scope.version.targets.empty() ? plan::Stage::test : plan::Stage::publish;
  TRY(scope, up_to(stage, std::move(scope)));
  Result<PreparedRun> prepared = prepare_run(scope, FromRecord{}, streams);
  const bool contained = env::uses_containers(scope.levels.engine);
  // Without its engine nothing is known about a container, but the plan is still valid.
  if (!prepared && contained && prepared.error().kind == ErrorKind::environment)
    return std::nullopt;
  TRY_DONE(prepared);
  const auto digests = digest_outputs(prepared->plan, history);
  RunForecast forecast{journal::forecast(prepared->plan, history, digests),
                       std::move(prepared->gathered.recorded)};
  TRY(const run::Budget budget, budget_of({}));
  const plan::Results results =
      journal::still_there(journal::results_of(prepared->plan, history), digests);
  forecast.wall_time = run::predicted_wall_time(prepared->plan, budget, results);
  forecast.cores = budget.cores;
  return forecast;
}

}  // namespace pinwheel::cli
