#pragma once
#include <chrono>
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/step.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/packages.h"
#include "prepare/run_scope.h"
#include "run/forecast.h"

namespace pinwheel::prepare {

/// A forecast of a run, based on earlier runs here.
struct RunForecast {
  plan::Plan plan;
  std::vector<run::Forecast> steps;  ///< in plan order
  std::vector<RecordedResolution> environments;
  std::chrono::milliseconds wall_time{0};  ///< of the whole run, at most
  int cores = 1;                           ///< assumed for the wall time
};

/// The forecast of a full run: up to publishing if the channel has targets, else up to the tests.
/// nullopt if the state directory has no earlier run, or, with a warning, if a run would stop
/// before its first step (no container engine responds, an index has no such sdist). Reads the
/// source, the journal, the recorded resolutions and the existing images; uses no index, makes no
/// image.
Result<std::optional<RunForecast>> forecast_run(const Host& host, RunScope scope,
                                                ports::Notices& notices);

}  // namespace pinwheel::prepare
