#pragma once
#include <chrono>
#include <optional>
#include <random>

#include "base/error.h"
#include "matrix/settings.h"
#include "plan/step.h"
#include "run/executor.h"

namespace pinwheel::run {

// Retry
//
// Failures differ in whether a second attempt can help. The kind of the error decides this, never
// the text of a log: an `env/classify_*` table has already turned the output of pip, conda,
// compilers and tests into a kind.
//
//     transient       a busy server, a lost connection   up to `retry.transient` times, delayed
//     out_of_memory   the kernel killed a process        once, at once, with half the cores
//     timeout, step, check, ...                          never: the next attempt would fail, too
//
// The delay doubles from `backoff_min` to `backoff_max`, and the upper half of it is random. With
// `{transient: 4, backoff: 5s..2m}`, a step whose index does not answer is attempted five times:
//
//     attempt 1   fails, wait  2.5 to  5 s
//     attempt 2   fails, wait  5   to 10 s
//     attempt 3   fails, wait 10   to 20 s
//     attempt 4   fails, wait 20   to 40 s
//     attempt 5   fails: the step failed
//
// The random part matters when one server fails many jobs at the same moment. Without it, all of
// them would return at the same moment, too, and the server would fail again.
//
// A build that was killed for memory usually ran too many compilers at once. So it is repeated with
// half the cores, and fewer compilers run at once. It is repeated only once, because a single
// compiler that needs more memory than the machine has would fail again.
//
// The two counts are separate (`Failures`): a download that failed twice does not use up the
// attempt with half the cores. The decision is a pure function. `run/execute` waits on its clock,
// and other steps run meanwhile. Nothing is retried when the run is being stopped.
//
// A job that its executor scheduled was retried by these rules where it ran. Here, only what the
// infrastructure did to it counts (`StepJobState`):
//
//     node failure, preempted, lost, canceled    as transient
//     out of memory                              with twice the memory, while `can_grow`
//     time limit                                 with twice the time, while `can_grow`
//     dependency failed                          submitted again when its needs have ended
//     unfinished                                 the next job continues it, up to 100 jobs
//     failed                                     never, unless it lacked memory

/// Failed attempts of a step so far, by the kinds that are retried.
struct Failures {
  int transient = 0;
  int out_of_memory = 0;
  int unfinished = 0;  ///< jobs that another one continues
};

struct Again {
  std::chrono::milliseconds delay{0};
  bool halve_cores = false;
  Growth growth = {};  ///< of the next job
};

/// Whether to retry a step after a failure of `kind`, which `before` does not include yet. A
/// transient failure: up to `retry.transient` times, after a delay that doubles from `backoff_min`
/// to `backoff_max`, with a random upper half so that many clients do not retry at the same time.
/// Out of memory: once, immediately, with half the cores. Everything else: never.
std::optional<Again> try_again(const matrix::Retry& retry, ErrorKind kind, const Failures& before,
                               std::mt19937_64& random);

/// The same for a job that its executor scheduled, and that ended without success.
std::optional<Again> submit_again(const Executor& executor, const plan::Step& step,
                                  const Completed& ended, const Growth& growth,
                                  const Failures& before, std::mt19937_64& random);

}  // namespace pinwheel::run
