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
#include "run/attempt.h"
#include "run/budget.h"
#include "run/executor.h"
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
  /// The `traceparent` of the span of a step that this run executes; may be empty: it has none.
  std::function<std::string(const std::string& step)> span = {};
  /// The token of a step's submission with this number, from 1; empty: `job_token`.
  std::function<std::string(const std::string& step, int number)> token = {};
  /// When the time of the run ends; none: never.
  std::optional<std::chrono::steady_clock::time_point> until = {};
  std::shared_ptr<Checkpoints> checkpoints = {};  ///< null: builds save none
};

/// The interfaces that an execution uses; all of them outlive the call.
struct ExecutionPorts {
  Executor& executor;
  Recorder& recorder;
  StatusSink& status;
  ports::Clock& clock;
};

/// Executes a plan. Single-threaded: it owns the cursor, the budgets, the records and the status;
/// the executor only starts attempts and reports when they end. `scheduling_ranks` decides what
/// goes first; a step starts when its needs are done, reused or skipped and its resources are free.
/// A step that its executor schedules (`Scheduling::executor`) is submitted at once, also before
/// its needs have ended if the executor takes dependencies; it uses none of the budget. Every step
/// of the plan has exactly one outcome in the report, in plan order:
/// - a failed step blocks what depends on it (reason "`build:cpu` failed"); without `keep_going`,
///   steps not yet started are blocked too (reason "not started after `build:cpu` failed");
/// - a build that fails with `unplanned_wheel` blocks every build that has not started, even with
///   `keep_going`;
/// - what depends on an unfinished build is `unfinished` as well (reason "`build:cpu` is
///   unfinished"), and other steps continue;
/// - a signal cancels running steps, and everything unfinished is `interrupted`, within 5 seconds;
/// - a record that cannot be written fails its step and stops the run, whatever `on_failure` is.
plan::Report execute(const plan::Plan& plan, const ExecuteOptions& options,
                     const ExecutionPorts& around);

}  // namespace pinwheel::run
