#pragma once
#include <algorithm>

#include "ports/clock.h"

namespace pinwheel::fakes {

/// A clock that does not advance until it is set.
class FakeClock final : public ports::Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::time_point(std::chrono::seconds(1'767'323'045)) +
           std::chrono::duration_cast<std::chrono::system_clock::duration>(
               time_.time_since_epoch());
  }
  std::chrono::steady_clock::time_point steady() const override { return time_; }
  void move_to(std::chrono::steady_clock::time_point time) { time_ = std::max(time_, time); }

 private:
  std::chrono::steady_clock::time_point time_ = {};
};

}  // namespace pinwheel::fakes
