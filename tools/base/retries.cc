#include "base/retries.h"

#include <algorithm>
#include <cstdint>

namespace pinwheel {

std::chrono::milliseconds backoff(int attempt, std::chrono::milliseconds min,
                                  std::chrono::milliseconds max, double jitter) {
  const int doublings = std::clamp(attempt - 1, 0, 20);
  const std::chrono::milliseconds full = std::min(min * (int64_t{1} << doublings), max);
  const double share = 1.0 - std::clamp(jitter, 0.0, 1.0) / 2;
  return std::chrono::milliseconds(static_cast<int64_t>(static_cast<double>(full.count()) * share));
}

}  // namespace pinwheel
