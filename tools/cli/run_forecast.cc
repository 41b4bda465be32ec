#include "cli/run_forecast.h"

#include <filesystem>
#include <utility>

#include "cli/earlier_results.h"
#include "cli/prepare_run.h"
#include "host/steps/journal_file.h"

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
  Result<PreparedRun> run = prepare_run(scope, FromRecord{}, streams);
  const bool contained = scope.levels.engine != EngineChoice::host;
  // Without its engine nothing is known of a container, and a plan is a plan all the same.
  if (!run && contained && run.error().kind == ErrorKind::environment) return std::nullopt;
  TRY_DONE(run);
  RunForecast forecast{std::move(run->plan), {}, std::move(run->gathered.recorded)};
  forecast.steps =
      journal::forecast(forecast.plan, history, digest_outputs(forecast.plan, history));
  return forecast;
}

}  // namespace pinwheel::cli
