#pragma once
#include <chrono>

namespace pinwheel::report {

/// How often a log without a cursor hears that steps are still running.
constexpr std::chrono::milliseconds kHeartbeat = std::chrono::minutes(1);

}  // namespace pinwheel::report
