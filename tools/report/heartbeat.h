#pragma once
#include <chrono>

namespace pinwheel::report {

/// The interval at which a log without a cursor reports running steps.
constexpr std::chrono::milliseconds kHeartbeat = std::chrono::minutes(1);

}  // namespace pinwheel::report
