#pragma once
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare_runs.h"
#include "base/result.h"
#include "plan/outcome.h"

namespace pinwheel::analysis {

/// How long a step took for one result.
struct TimedResult {
  std::string key;
  std::chrono::milliseconds took{0};

  bool operator==(const TimedResult&) const = default;
};

/// The durations of the steps of the last runs, for a machine without their journal: by step, the
/// oldest first, at most `plan::kMostSamples` of each.
using DurationHistory = std::map<std::string, std::vector<TimedResult>>;

/// Adds the steps that succeeded in a run. A result that is in the history was reused by the run,
/// so it does not count again. Steps that the run does not have are removed: the history does not
/// grow with the matrix's past.
void add_run(const std::vector<plan::StepOutcome>& outcomes, DurationHistory& history);

EarlierDurations durations_of(const DurationHistory& history);

/// JSON, schema `pinwheel-durations/1`: `{"steps": {ID: [{"key", "ms"}]}}`. Bytes that are not
/// UTF-8 are replaced.
std::string history_json(const DurationHistory& history);
/// The inverse. `config`, naming `file`, for any other text.
Result<DurationHistory> parse_durations(std::string_view text, const std::string& file);

}  // namespace pinwheel::analysis
