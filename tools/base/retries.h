#pragma once

namespace pinwheel {

/// Calls `attempt` until `again` is false of its result, at most `most` times, and returns the last
/// result. Between two attempts it calls `wait` with the number of attempts so far and the result;
/// `wait` returns whether to go on.
template <class Attempt, class Again, class Wait>
auto with_retries(int most, const Attempt& attempt, const Again& again, const Wait& wait) {
  for (int count = 1;; ++count) {
    auto result = attempt();
    if (count >= most || !again(result) || !wait(count, result)) return result;
  }
}

}  // namespace pinwheel
