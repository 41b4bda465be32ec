#include "run/retry.h"

#include <algorithm>

namespace pinwheel::run {
namespace {

std::chrono::milliseconds backoff(const matrix::Retry& retry, int failures,
                                  std::mt19937_64& random) {
  std::chrono::milliseconds delay = retry.backoff_min;
  for (int i = 0; i < failures && delay < retry.backoff_max; ++i) delay *= 2;
  delay = std::min(delay, retry.backoff_max);
  std::uniform_int_distribution<int64_t> upper_half(delay.count() / 2, delay.count());
  return std::chrono::milliseconds(upper_half(random));
}

}  // namespace

std::optional<Again> try_again(const matrix::Retry& retry, ErrorKind kind, const Failures& before,
                               std::mt19937_64& random) {
  if (kind == ErrorKind::out_of_memory && before.out_of_memory == 0) {
    return Again{.halve_cores = true};
  }
  if (kind == ErrorKind::transient && before.transient < retry.transient) {
    return Again{.delay = backoff(retry, before.transient, random)};
  }
  return std::nullopt;
}

}  // namespace pinwheel::run
