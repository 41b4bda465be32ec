#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/run_trace.h"

namespace pinwheel::analysis {

/// From the start of the first attempt to the end of the last one; 0 for an empty trace.
std::chrono::milliseconds makespan(const RunTrace& trace);

/// A step on the critical path.
struct CriticalStep {
  std::string id;
  size_t first = 0;                    ///< its first attempt, an index into `slices`
  size_t last = 0;                     ///< its last attempt
  std::chrono::milliseconds spent{0};  ///< its attempts, without the time between them
  /// How much shorter the path would be if the step took no time. It is less than `spent` if
  /// another path is nearly as long.
  std::chrono::milliseconds saves{0};
};

/// The longest chain of executed steps that need each other. The run could not have been shorter
/// with any number of slots. Steps that are not on it save nothing.
struct CriticalPath {
  std::vector<CriticalStep> steps = {};  ///< in order
  std::chrono::milliseconds length{0};   ///< sum of `spent`, at most the makespan
};

CriticalPath critical_path(const RunTrace& trace);

}  // namespace pinwheel::analysis
