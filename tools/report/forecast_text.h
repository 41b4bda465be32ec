#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "run/forecast.h"

namespace pinwheel::report {

/// The forecast of a run as a table: one line each for builds, the sdist and targets; one line with
/// a count for environments or tests with the same forecast for the same reason. Steps that would
/// run show their duration, a line for several steps the sum; `?` marks a guess.
std::string forecast_table(const std::vector<run::Forecast>& steps, size_t width = 0);

/// "at most 3m20s on 8 cores, estimated from earlier runs": the duration of the whole run; empty if
/// nothing would run.
std::string wall_time_line(const std::vector<run::Forecast>& steps, std::chrono::milliseconds total,
                           int cores);

/// One step's forecast for `explain`: "would run: 2 changes since ...", then one line per change.
std::string forecast_lines(const run::Forecast& step);

/// "3 environments resolved, the oldest 12 days ago; `--refresh` resolves again", and how many are
/// not resolved. No age: not resolved yet.
std::string resolutions_line(const std::vector<std::optional<std::chrono::seconds>>& ages);

}  // namespace pinwheel::report
