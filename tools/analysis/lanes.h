#pragma once
#include <cstddef>
#include <set>
#include <utility>

#include "analysis/run_trace.h"

namespace pinwheel::analysis {

/// Lanes in which intervals do not overlap: each interval gets the lowest free lane. Intervals are
/// taken in the order of their start.
class Lanes {
 public:
  size_t take(Microseconds start, Microseconds end) {
    while (!busy_.empty() && busy_.begin()->first <= start) {
      free_.insert(busy_.begin()->second);
      busy_.erase(busy_.begin());
    }
    if (free_.empty()) free_.insert(count_++);
    const size_t lane = *free_.begin();
    free_.erase(free_.begin());
    busy_.emplace(end, lane);
    return lane;
  }
  /// As many as there were intervals at the same time.
  size_t count() const { return count_; }

 private:
  std::set<std::pair<Microseconds, size_t>> busy_;  ///< by the end of their intervals
  std::set<size_t> free_;
  size_t count_ = 0;
};

}  // namespace pinwheel::analysis
