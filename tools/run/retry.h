#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <random>

#include "base/error.h"
#include "matrix/settings.h"

namespace pinwheel::run {

/// Failed attempts of a step so far, by the kinds that are retried.
struct Failures {
  int transient = 0;
  int out_of_memory = 0;
};

struct Again {
  std::chrono::milliseconds delay{0};
  bool halve_cores = false;
};

/// Whether to retry a step after a failure of `kind`, which `before` does not include yet. A
/// transient failure: up to `retry.transient` times, after a delay that doubles from `backoff_min`
/// to `backoff_max`, with a random upper half so that many clients do not retry at the same time.
/// Out of memory: once, immediately, with half the cores. Everything else: never.
std::optional<Again> try_again(const matrix::Retry& retry, ErrorKind kind, const Failures& before,
                               std::mt19937_64& random);

}  // namespace pinwheel::run
