#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "plan/outcome.h"
#include "plan/step.h"
#include "run/attempt.h"

namespace pinwheel::run {

// The contract of an executor
//
// An executor runs attempts of steps: on threads of this process, as jobs of a cluster, or in a
// test not at all. `run/execute` decides what runs, retries and records; an executor only accepts
// jobs and reports their ends. docs/executors.md explains how to add one, and the unit test
// `executor_contract` checks each.
//
// - Tokens. A job is identified by its token, a text of our own, and by nothing else: the numbers
//   of batch systems are reused after a crash of their controller.
// - Idempotence. Submitting a known token again starts nothing. Canceling a token again, or one
//   that ended or is unknown, has no effect.
// - Results. `collect` returns the same result any number of times. With `Lifetime::cluster`, a
//   later process finds it too: it submits the same token, and the job that ran or still runs
//   counts as its own.
// - Events. Each submitted token has exactly one `Completed`, also if it was canceled. `Began`, if
//   it comes, comes before it.
// - A failure is either that of the step, `StepJobState::failed`, which the executor never repeats,
//   or one of the infrastructure, for which the loop may submit the step again with another token.

/// The state of a job. The values after `failed` are failures of the infrastructure: the step
/// itself neither succeeded nor failed.
enum class StepJobState {
  pending,            ///< accepted, has not started
  running,            ///< started, has not ended
  succeeded,          ///< the step succeeded, or was skipped for a reason
  unfinished,         ///< a build was stopped before the end of its job, and another continues it
  failed,             ///< the step failed
  canceled,           ///< `cancel`, or somebody else
  node_failure,       ///< the machine went down
  preempted,          ///< other work took its resources
  time_limit,         ///< it needed more time than its job had
  out_of_memory,      ///< it needed more memory than its job had
  lost,               ///< the job is unknown, and it left no result
  dependency_failed,  ///< a job that it needs did not succeed, so it did not start
};
/// "pending", "node-failure".
std::string_view to_string(StepJobState state);

/// Whether a job in this state has ended.
inline bool has_ended(StepJobState state) {
  return state != StepJobState::pending && state != StepJobState::running;
}

/// How long the jobs of an executor live: as long as this process, or longer. Decides what a second
/// process may expect, which the contract test checks.
enum class Lifetime { process, cluster };

struct Capabilities {
  /// Accepts jobs whose needs are submitted, but have not ended (`StepJob::after`).
  bool dependencies = false;
  size_t largest_batch = 1;  ///< jobs in one call of `submit`
  Lifetime lifetime = Lifetime::process;
};

/// Who decides when a step starts: the loop, within the budget of this machine; or the executor,
/// which has its own queue and resources.
enum class Scheduling { loop, executor };

/// How often a job got more resources than at first, because it had too little.
struct Growth {
  int memory = 0;  ///< each time twice as much
  int time = 0;

  bool operator==(const Growth&) const = default;
};

/// An attempt that an executor is asked to run.
struct StepJob {
  std::string token;
  Attempt attempt;
  std::vector<std::string> after = {};  ///< tokens of needs that have not ended
  Growth growth = {};
};

/// What an executor decides about a job that it schedules.
struct Placement {
  std::optional<std::string> log = std::nullopt;  ///< where it differs from `Attempt::log`
  int cores = 0;                                  ///< 0: not known
};

/// A job started.
struct Began {
  std::string token;
};
/// A job ended. `result` is a value exactly if `state` is `succeeded`.
struct Completed {
  std::string step;
  Result<Success> result;
  std::string token = {};
  StepJobState state = StepJobState::succeeded;
  /// What the machine that ran it recorded about it; none if that is not known, or is this process.
  std::optional<plan::StepOutcome> record = std::nullopt;
};
struct Interrupted {
  int signal = 2;
};
struct Deadline {};
using Event = std::variant<Completed, Interrupted, Deadline, Began>;

/// Runs jobs. All calls come from one thread.
class Executor {
 public:
  Executor() = default;
  virtual ~Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  virtual Capabilities capabilities() const = 0;
  virtual Scheduling scheduling_of(const plan::Step& /*step*/) const { return Scheduling::loop; }
  /// Whether a job that ended in this state may be submitted again with more of what it lacked.
  virtual bool can_grow(const plan::Step& /*step*/, StepJobState /*lacked*/,
                        const Growth& /*so_far*/) const {
    return false;
  }
  /// Where a job of `Scheduling::executor` will run.
  virtual Placement placement_of(const StepJob& /*job*/) const { return {}; }

  /// Accepts jobs, at most `largest_batch`; a job comes after those that it needs. A job that
  /// cannot be accepted ends with `failed`.
  virtual void submit(const std::vector<StepJob>& jobs) = 0;
  /// Blocks until a job begins or ends, a signal arrives or the deadline passes.
  virtual Event poll(std::chrono::steady_clock::time_point deadline) = 0;
  /// Ends jobs; each still reports `Completed`, with an `interrupted` error unless it ended before.
  virtual void cancel(const std::vector<std::string>& tokens) = 0;
  /// The end of a job; nullopt: it has not ended, or is unknown. `execute` needs only the events of
  /// `poll`; this is for callers that come after an event.
  virtual std::optional<Completed> collect(const std::string& token) const = 0;
};

/// The token of a job: a digest of the plan, the step, and the number of its submission, from 1.
std::string job_token(std::string_view plan_digest, std::string_view step, int number);

/// Sets the duration of a successful step, without its installation. `attempt`: the time of the
/// last attempt. A build that continued from a checkpoint took as long as all runs that led to it,
/// even if `outcome` has only the time of this run. Otherwise, predictions would be too short.
void set_duration(const Success& success, std::chrono::milliseconds attempt,
                  plan::StepOutcome& outcome);

/// Replaces the last attempt in the trace of an outcome, as this machine saw it, by the record of
/// the machine that ran it. The waiting time remains, because only this machine saw it.
void adopt_record(const plan::StepOutcome& record, plan::StepOutcome& outcome);

/// Unique file names for the logs and directories of attempts, one per step, of letters, digits and
/// `._+-`: "build-cp312-cu130".
std::vector<std::string> file_stems(const plan::Plan& plan);

/// The jobs of an executor of one process, by token.
class KnownJobs {
 public:
  /// False if the token is known already.
  bool add(const StepJob& job) { return jobs_.try_emplace(job.token).second; }
  /// Records the end of a job; the first one counts.
  void end(const Completed& completed) {
    std::optional<Completed>& end = jobs_[completed.token];
    if (!end) end = completed;
  }
  std::optional<Completed> find(const std::string& token) const {
    const auto known = jobs_.find(token);
    return known == jobs_.end() ? std::nullopt : known->second;
  }

 private:
  std::map<std::string, std::optional<Completed>> jobs_ = {};
};

}  // namespace pinwheel::run
