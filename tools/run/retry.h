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

/// Whether a step is tried again after a failure of `kind`, which `before` does not count yet.
/// A transient fault: up to `retry.transient` times, after a time that doubles from `backoff_min`
/// to `backoff_max`, of which the upper half is random so that many clients do not return at once.
/// Out of memory: once, at once, with half the cores. Everything else: never.
std::optional<Again> try_again(const matrix::Retry& retry, ErrorKind kind, const Failures& before,
                               std::mt19937_64& random);

}  // namespace pinwheel::run
