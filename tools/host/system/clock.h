#pragma once
#include "ports/clock.h"

namespace pinwheel::host {

/// The machine's clocks.
class SystemClock final : public ports::Clock {
 public:
  std::chrono::system_clock::time_point now() const override;
  std::chrono::steady_clock::time_point steady() const override;
};

}  // namespace pinwheel::host
