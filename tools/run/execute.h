#pragma once
#include <cstdint>
#include <filesystem>

#include "plan/outcome.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "ports/clock.h"
#include "run/budget.h"
#include "run/recorder.h"
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
  /// Results of earlier runs; a step whose key is among them is `reused`, never started. Its key is
  /// complete when its needs have ended, so a need that produced the same files again starts
  /// nothing.
  plan::Results results = {};
  uint64_t seed = 0;  ///< for the random part of delays
};

/// The interfaces that an execution uses; all of them outlive the call.
struct ExecutionPorts {
  Runner& runner;
  Recorder& recorder;
  StatusSink& status;
  ports::Clock& clock;
};

/// Executes a plan. Single-threaded: it owns the cursor, the budgets, the records and the status;
/// the runner only starts attempts and reports when they end. The longest remaining path goes
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

}  // namespace pinwheel::run
