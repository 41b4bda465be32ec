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
  std::chrono::milliseconds wall_time{0};  ///< the most that the run takes
  int cores = 1;                           ///< that it takes so long on
};

/// Of a run that goes as far as it can: it publishes where the channel has targets, else it tests.
/// Nothing when nothing has been run in the state directory, and for containers whose engine does
/// not answer. Reads the source, the journal, the recorded resolutions and the images that are
/// there; asks no index, makes no image.
Result<std::optional<RunForecast>> forecast_run(RunScope scope, Streams& streams);

}  // namespace pinwheel::cli
