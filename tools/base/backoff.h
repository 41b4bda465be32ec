#pragma once
#include <chrono>

namespace pinwheel {

/// The wait before attempt `attempt` + 1 (attempts count from 1): doubles from `min`, never more
/// than `max`, of which `jitter` in [0, 1] takes away up to a half.
std::chrono::milliseconds backoff(int attempt, std::chrono::milliseconds min,
                                  std::chrono::milliseconds max, double jitter);

}  // namespace pinwheel
