#pragma once
#include <chrono>

namespace pinwheel::ports {

/// Time. Wall time is for records and versions, steady time for durations and deadlines.
class Clock {
 public:
  Clock() = default;
  virtual ~Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  virtual std::chrono::system_clock::time_point now() const = 0;
  virtual std::chrono::steady_clock::time_point steady() const = 0;
};

}  // namespace pinwheel::ports
