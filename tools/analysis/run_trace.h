#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/attempt_trace.h"
#include "plan/outcome.h"

namespace pinwheel::analysis {

/// One attempt of a step in a trace, with times on the clock of the first machine.
struct TraceSlice {
  std::string id;
  std::string key;
  plan::StepState state = plan::StepState::done;  ///< of the step; failed if it was repeated
  int attempt = 1;                                ///< from 1
  plan::AttemptTrace trace;
  size_t machine = 0;  ///< index into `machines`
  size_t lane = 0;     ///< of its machine, from 0; attempts of a lane do not overlap
};

/// From the last attempt of a step to the first one of a step that needs it; indexes into `slices`.
struct TraceFlow {
  size_t from = 0;
  size_t to = 0;
};

struct TraceMachine {
  std::string name;
  size_t lanes = 0;
  std::chrono::milliseconds offset{0};  ///< was added to its times
};

struct RunTrace {
  std::vector<TraceMachine> machines = {};
  std::vector<TraceSlice> slices = {};  ///< by start
  std::vector<TraceFlow> flows = {};
  size_t unmeasured = 0;  ///< executed steps without times, as an old pinwheel recorded them
};

/// Bounds for the outcomes of a trace: reports can come from anywhere.
inline constexpr size_t kMostTracedAttempts = 200'000;
inline constexpr size_t kMostTracedMachines = 1000;
inline constexpr size_t kMostTracedNeeds = 2'000'000;  ///< of all attempts together
/// Kind `config` for outcomes over one of the bounds, naming it.
Done check_traceable(const std::vector<plan::StepOutcome>& outcomes);

/// Merges the outcomes of the jobs of a plan. A result that a job reused is the attempt of the job
/// that made it. Clocks: a machine on which a step starts before a step that it needs has ended on
/// another machine gets the smallest offset that puts them in order. If no offsets do,
/// or only ones of more than 30 days, the clocks contradict each other: none is corrected, and
/// flows that would point backward are dropped.
RunTrace merge_traces(const std::vector<plan::StepOutcome>& outcomes);

/// A time or duration in microseconds, the unit of the Trace Event Format.
using Microseconds = int64_t;
Microseconds micros(std::chrono::milliseconds time);
/// The end of a slice since the epoch. An attempt that took less than the resolution of its times
/// is a microsecond long, so that it is visible and flows can end in it.
Microseconds end_of(const TraceSlice& slice);

}  // namespace pinwheel::analysis
