#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "journal/forecast.h"

namespace pinwheel::report {

/// What a run would do, as a table: builds, the sdist and targets a line each; environments and
/// tests that would do the same for the same reason in one line with their number. Steps that would
/// run show how long they take, a line for several steps their sum; `?` marks a guess.
std::string forecast_table(const std::vector<journal::Forecast>& steps);

/// "at most 3m20s on 8 cores, estimated from earlier runs": the time of the whole run; empty if
/// nothing would run.
std::string wall_time_line(const std::vector<journal::Forecast>& steps,
                           std::chrono::milliseconds total, int cores);

/// One step's forecast for `explain`: "would run: 2 changes since ...", then a line a change.
std::string forecast_lines(const journal::Forecast& step);

/// "3 environments are resolved, the oldest 12 days ago (`--refresh` resolves anew)", and how many
/// are not. An age of none: not resolved yet.
std::string resolutions_line(const std::vector<std::optional<std::chrono::seconds>>& ages);

}  // namespace pinwheel::report
