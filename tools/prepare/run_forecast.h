#pragma once
#include <optional>
#include <vector>

#include "base/result.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/packages.h"
#include "prepare/run_scope.h"
#include "run/forecast.h"
#include "run/wall_time.h"

namespace pinwheel::prepare {

/// A forecast of a run, based on earlier runs here.
struct RunForecast {
  plan::Plan plan;                   ///< without steps if their times are enough: `timed`
  std::vector<run::Forecast> steps;  ///< in plan order
  std::vector<RecordedResolution> environments;
  plan::Results results = {};  ///< of earlier runs, to reuse
  /// If nothing is known of earlier runs. Without ids, which `steps` has.
  std::vector<plan::TimedStep> timed = {};
};

/// The forecast of a full run: up to publishing if the channel has targets, else up to the tests.
/// nullopt if the state directory has no earlier run, or, with a warning, if a run would stop
/// before its first step (no container engine responds, an index has no such sdist). Reads the
/// source, the journal, the recorded resolutions and the existing images; uses no index, makes no
/// image.
Result<std::optional<RunForecast>> forecast_run(const Host& host, const RunScope& scope,
                                                ports::Notices& notices);

/// The predictions for a run from the matrix, the names and sizes of the source files and the
/// durations of earlier runs: for a project that was never run here, or has no forecast. Every step
/// would run, and has no reason. If the source cannot be listed, its files do not count.
Result<RunForecast> outline_run(const Host& host, const RunScope& scope);

/// The predicted duration of a run with `slots` steps at a time, or without a number on this
/// machine.
Result<run::PredictedRun> predict_duration(const Host& host, const RunForecast& forecast,
                                           std::optional<int> slots);

}  // namespace pinwheel::prepare
