#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "matrix/settings.h"
#include "plan/outcome.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "plan/trace_context.h"
#include "ports/clock.h"
#include "run/budget.h"
#include "run/runner.h"
#include "run/status.h"

namespace pinwheel::run {

enum class OnFailure {
  stop_starting,  ///< running steps may finish, nothing new is started
  keep_going,     ///< only dependents of the failed step are blocked
};

struct ExecuteOptions {
  Budget budget = {};
  OnFailure on_failure = OnFailure::stop_starting;
  /// Directories of this run only: an attempt gets `scratch`/<step>.<n> and `logs`/<step>.<n>.log.
  std::filesystem::path scratch = {};
  std::filesystem::path logs = {};
  /// Results of earlier runs. A step whose key is among them is `reused`, never started. Its key is
  /// complete when its needs have ended, so a need that made the same files again starts nothing.
  plan::Results results = {};
  uint64_t seed = 0;        ///< for the random part of delays
  std::string worker = {};  ///< the name of the machine, for traces
  /// The place of an attempt's processes in a trace; may be empty: the run has no trace elsewhere.
  std::function<plan::PassedTrace(const std::string& step, int attempt)> passed_trace = {};
};

/// The interfaces that an execution uses; all of them outlive the call.
struct ExecutionPorts {
  Runner& runner;
  Recorder& recorder;
  StatusSink& status;
  ports::Clock& clock;
};

/// Executes a plan. Single-threaded: it owns the cursor, the budgets, the records and the status;
/// the runner only starts attempts and reports when they end. `scheduling_ranks` decides what goes
/// first; a step starts when its needs are done, reused or skipped and its resources are free.
/// Every step of the plan has exactly one outcome in the report, in plan order:
/// - a failed step blocks what depends on it (reason "`build:cpu` failed"); without `keep_going`,
///   steps not yet started are blocked too (reason "not started after `build:cpu` failed");
/// - a build that fails with `unplanned_wheel` blocks every build that has not started, even with
///   `keep_going`;
/// - a signal cancels running steps, and everything unfinished is `interrupted`, within 5 seconds;
/// - a record that cannot be written fails its step and stops the run, whatever `on_failure` is.
plan::Report execute(const plan::Plan& plan, const ExecuteOptions& options,
                     const ExecutionPorts& around);

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
// A build that was killed for memory usually ran too many compilers at once. So it is repeated
// with half the cores, so that fewer compilers run at once, and only once: a single compiler that
// needs more memory than there is would fail again.
//
// The two counts are separate (`Failures`): a download that failed twice does not use up the
// attempt with half the cores. The decision is a pure function. `run/execute` waits on its clock,
// and other steps run meanwhile. Nothing is retried when the run is being stopped.

/// Failed attempts of a step so far, by the kinds that are retried.
struct Failures {
  int transient = 0;
  int out_of_memory = 0;
};

struct Again {
  std::chrono::milliseconds delay{0};
  bool halve_cores = false;
};

}  // namespace pinwheel::run
