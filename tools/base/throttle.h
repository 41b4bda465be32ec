#pragma once
#include <chrono>
#include <mutex>

namespace pinwheel {

/// Limits how often a long operation prints its progress. Any thread may call it.
class Throttle {
 public:
  /// Whether three seconds have passed since the last call that returned true, or since the
  /// construction.
  bool passes() {
    constexpr std::chrono::seconds kPause(3);
    const std::lock_guard lock(mutex_);
    const Steady::time_point now = Steady::now();
    if (now - last_ < kPause) return false;
    last_ = now;
    return true;
  }

 private:
  using Steady = std::chrono::steady_clock;

  std::mutex mutex_;
  Steady::time_point last_ = Steady::now();
};

}  // namespace pinwheel
