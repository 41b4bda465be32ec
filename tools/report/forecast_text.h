#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "run/forecast.h"
#include "run/wall_time.h"

namespace pinwheel::report {

/// The forecast of a run as a table: one line each for builds, the sdist and targets; one line with
/// a count for environments or tests with the same forecast for the same reason. Steps that would
/// run show their duration, and the one that nine of ten runs do not exceed; a line for several
/// steps the sums. `?` marks steps that never ran. Without reasons, only the durations.
std::string forecast_table(const std::vector<run::Forecast>& steps, size_t width = 0);

/// What the duration of a run depends on: the cores of this machine, or steps at a time.
enum class SlotUnit { cores, slots };

/// The forecast of a run, with its duration.
struct TimedForecast {
  std::vector<run::Forecast> steps;
  run::PredictedRun run = {};  ///< its indexes are those of `steps`
  SlotUnit unit = SlotUnit::cores;
};

/// The ids of the critical path.
std::vector<std::string> critical_steps(const TimedForecast& forecast);

/// "at most 3m20s on 8 cores, estimated from earlier runs": the duration of the whole run; then the
/// bound that no schedule can beat, and the critical path. Empty if nothing would run.
std::string duration_lines(const TimedForecast& forecast);

/// One step's forecast for `explain`: "would run: 2 changes since ...", then one line per change.
std::string forecast_lines(const run::Forecast& step);

/// "3 environments resolved, the oldest 12 days ago; `--refresh` resolves again", and how many are
/// not resolved. No age: not resolved yet.
std::string resolutions_line(const std::vector<std::optional<std::chrono::seconds>>& ages);

}  // namespace pinwheel::report
