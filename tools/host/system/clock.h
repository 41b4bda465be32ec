#pragma once
#include <chrono>
#include <stop_token>

#include "ports/clock.h"

namespace pinwheel::host {

/// The machine's clocks.
class SystemClock final : public ports::Clock {
 public:
  std::chrono::system_clock::time_point now() const override;
  std::chrono::steady_clock::time_point steady() const override;
};

/// Waits, but not beyond a stop request; false if there is one.
bool wait_unless_stopped(std::chrono::milliseconds delay, const std::stop_token& stop);

}  // namespace pinwheel::host
