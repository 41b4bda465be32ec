#include "run/retry.h"

#include "base/backoff.h"

namespace pinwheel::run {

std::optional<Again> try_again(const matrix::Retry& retry, ErrorKind kind, const Failures& before,
                               std::mt19937_64& random) {
  if (kind == ErrorKind::out_of_memory && before.out_of_memory == 0) {
    return Again{.halve_cores = true};
  }
  if (kind == ErrorKind::transient && before.transient < retry.transient) {
    std::uniform_real_distribution<double> jitter(0, 1);
    return Again{.delay = backoff(before.transient + 1, retry.backoff_min, retry.backoff_max,
                                  jitter(random))};
  }
  return std::nullopt;
}

}  // namespace pinwheel::run
