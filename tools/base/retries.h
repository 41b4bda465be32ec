#pragma once
#include <chrono>

namespace pinwheel {

/// Calls `attempt` until `again` returns false for its result, at most `most` times, and returns
/// the last result. Between two attempts it calls `wait` with the number of attempts so far and the
/// result; `wait` returns whether to continue.
template <class Attempt, class Again, class Wait>
auto with_retries(int most, const Attempt& attempt, const Again& again, const Wait& wait) {
  for (int count = 1;; ++count) {
    auto result = attempt();
    if (count >= most || !again(result) || !wait(count, result)) return result;
  }
}

/// The wait before attempt `attempt` + 1 (attempts count from 1): doubles from `min`, never more
/// than `max`. `jitter` in [0, 1] reduces it by up to a half.
std::chrono::milliseconds backoff(int attempt, std::chrono::milliseconds min,
                                  std::chrono::milliseconds max, double jitter);

}  // namespace pinwheel
