#pragma once
#include <chrono>
#include <optional>
#include <vector>

#include "base/result.h"
#include "cli/packages.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "journal/forecast.h"

namespace pinwheel::cli {

/// What a run would do now, by what earlier runs left here.
struct RunForecast {
  std::vector<journal::Forecast> steps;  ///< in plan order
  std::vector<RecordedResolution> environments;
  std::chrono::milliseconds wall_time{0};  ///< of the whole run, at most
  int cores = 1;                           ///< that the wall time is for
};

/// The forecast of a full run: up to publishing if the channel has targets, else up to the tests.
/// None if the state directory has no earlier run, or if the container engine does not answer.
/// Reads the source, the journal, the recorded resolutions and the images that are there; asks no
/// index, makes no image.
Result<std::optional<RunForecast>> forecast_run(RunScope scope, Streams& streams);

}  // namespace pinwheel::cli
