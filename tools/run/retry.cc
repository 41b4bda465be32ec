#include "run/retry.h"

#include "base/retries.h"

namespace pinwheel::run {
namespace {

/// A build fails if its job makes no progress, so this only limits jobs that end before their build
/// starts.
constexpr int kMostContinued = 100;

}  // namespace

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

std::optional<Again> submit_again(const Executor& executor, const plan::Step& step,
                                  const Completed& ended, const Growth& growth,
                                  const Failures& before, std::mt19937_64& random) {
  const bool short_of_memory = ended.result.error().kind == ErrorKind::out_of_memory;
  switch (ended.state) {
    case StepJobState::failed:
    case StepJobState::out_of_memory:
      if (!short_of_memory || !executor.can_grow(step, StepJobState::out_of_memory, growth)) break;
      return Again{.growth = {growth.memory + 1, growth.time}};
    case StepJobState::time_limit:
      if (!executor.can_grow(step, StepJobState::time_limit, growth)) break;
      return Again{.growth = {growth.memory, growth.time + 1}};
    case StepJobState::node_failure:
    case StepJobState::preempted:
    case StepJobState::lost:
    case StepJobState::canceled: {
      std::optional<Again> again = try_again(step.retry, ErrorKind::transient, before, random);
      if (again) again->growth = growth;
      return again;
    }
    case StepJobState::unfinished:
      if (before.unfinished >= kMostContinued) break;
      return Again{.growth = growth};
    case StepJobState::pending:
    case StepJobState::running:
    case StepJobState::succeeded:
    case StepJobState::dependency_failed:
      break;
  }
  return std::nullopt;
}

}  // namespace pinwheel::run
