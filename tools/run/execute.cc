#include "run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "run/outlook.h"
#include "run/ranks.h"
#include "run/retry.h"
#include "run/schedule.h"
#include "run/simulate.h"
#include "run/step_phases.h"

namespace pinwheel::run {
namespace {

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

constexpr milliseconds kTick = std::chrono::seconds(1);
constexpr size_t kMostPending = 3;
/// Steps in a heartbeat for each millisecond until the next one.
constexpr size_t kListedPerMillisecond = 10;
/// After a signal: within the 5 seconds of the contract, with time to record the rest.
constexpr milliseconds kCancelLimit = milliseconds(4500);

/// The state of one step.
struct Cursor {
  size_t open_needs = 0;
  plan::KeyParts parts = {};  ///< of the result; complete when the needs have ended
  std::string key = {};
  int attempts = 0;
  int cores = 0;                                      ///< while running
  int cores_limit = std::numeric_limits<int>::max();  ///< halved after an out-of-memory kill
  Failures failures = {};
  TimePoint first_start = {};
  TimePoint start = {};
  TimePoint resume_at = {};
  std::optional<Error> last_error = std::nullopt;
  std::string log = {};
  std::vector<plan::AttemptTrace> trace = {};  ///< of attempts that ended
  std::shared_ptr<AttemptMeter> meter = {};    ///< of the current or next attempt
  std::string token = {};                      ///< of the last submitted job
  int submissions = 0;
  Growth growth = {};
  bool after_needs = false;             ///< submitted only when its needs have ended
  std::optional<Completed> early = {};  ///< its end, reported before those of its needs
  int more_attempts = 0;                ///< that its jobs made beyond one each
};

class Execution {
 public:
  Execution(const plan::Plan& plan, const ExecuteOptions& options, const ExecutionPorts& around)
      : plan_(plan),
        options_(options),
        around_(around),
        graph_(make_graph(plan)),
        stems_(file_stems(plan)),
        reused_(plan::reuse(plan, options.results)),
        policy_{options.budget,
                scheduling_ranks(plan, graph_, options.budget, remaining_times(plan, reused_))},
        ready_(plan, policy_.ranks, options.budget),
        random_(options.seed),
        cursors_(plan.steps.size()),
        phases_(graph_, remote_steps(plan, around.executor)),
        outcomes_(plan.steps.size()),
        begun_(around.clock.steady()),
        now_(run_time(around.clock)) {}

  plan::Report run() {
    around_.status.plan_started(plan_, reused_.size());
    for (size_t i = 0; i < cursors_.size(); ++i) {
      cursors_[i].open_needs = graph_.needs[i].size();
      queue(i, plan::WaitCause::dependency);
    }
    if (graph_.unknown_needs.empty()) open_first();
    if (!graph_.unknown_needs.empty()) reject_invalid_plan();
    while (!phases_.all_finished()) {
      wake_delayed();
      if (!stopping()) start_ready();
      if (!stopping()) submit_ready();
      settle_what_cannot_start();
      cancel_withdrawn();
      if (phases_.all_finished()) break;
      // Sent after the steps that can start have started, so that no step is reported as waiting
      // that runs in a moment.
      beat();
      handle(around_.executor.poll(next_deadline()));
    }
    cancel_withdrawn();
    plan::Report report{std::move(outcomes_), since(begun_), signal_};
    around_.status.summary(report);
    return report;
  }

 private:
  milliseconds since(TimePoint then) const {
    return std::chrono::duration_cast<milliseconds>(around_.clock.steady() - then);
  }
  bool stopping() const { return signal_ != 0 || !stopped_by_.empty(); }

  /// The next attempt of a step waits from now on.
  void queue(size_t i, plan::WaitCause cause) {
    cursors_[i].meter = std::make_shared<AttemptMeter>(options_.worker, now_);
    cursors_[i].meter->wait_for(cause);
  }

  void open_first() {
    for (size_t i = 0; i < cursors_.size(); ++i) {
      if (phases_.of(i) == Phase::waiting && cursors_[i].open_needs == 0) open(i);
    }
  }

  /// All needs of a step have ended: its key is complete, and it is reused or queued.
  void open(size_t i) {
    Cursor& cursor = cursors_[i];
    std::map<std::string, std::string> products;
    for (const size_t need : graph_.needs[i]) {
      products[outcomes_[need].id] = plan::product_of(outcomes_[need]);
    }
    cursor.parts = plan::with_needs(plan_.steps[i].parts, products);
    cursor.key = plan::key_of(cursor.parts);
    if (phases_.of(i) != Phase::waiting) {
      // It was submitted before its needs had ended.
      if (const std::optional<Completed> early = std::exchange(cursor.early, {})) complete(*early);
      return;
    }
    phases_.set(i, Phase::ready);
    cursor.meter->wait_for(plan::WaitCause::slot);
    if (auto reused = plan::find_result(options_.results, plan_.steps[i].id, cursor.parts)) {
      settle(i, *std::move(reused));
    } else if (!phases_.is_remote(i)) {
      ready_.add(i, cursor.cores_limit);
    }
  }

  void reject_invalid_plan() {
    const std::string need = graph_.unknown_needs.front();
    for (size_t i = 0; i < cursors_.size(); ++i) {
      if (phases_.of(i) == Phase::finished) continue;
      plan::StepOutcome outcome = outcome_of(i, plan::StepState::failed);
      outcome.error =
          Error{ErrorKind::internal,
                fmt::format("step {} is needed before it is planned", pinwheel::quoted(need))};
      settle(i, std::move(outcome));
    }
  }

  /// The outcome of a step in its last state; takes what the cursor has of it.
  plan::StepOutcome outcome_of(size_t i, plan::StepState state) {
    Cursor& cursor = cursors_[i];
    plan::StepOutcome outcome;
    outcome.id = plan_.steps[i].id;
    outcome.key = cursor.key.empty() ? plan_.steps[i].key : cursor.key;
    outcome.parts = std::move(cursor.parts);
    outcome.state = state;
    outcome.attempts = cursor.attempts;
    outcome.log = cursor.log;
    if (cursor.attempts > 0) outcome.elapsed = since(cursor.first_start);
    outcome.needs = plan_.steps[i].needs;
    outcome.axes = plan_.steps[i].axes;
    outcome.trace = std::move(cursor.trace);
    if (phases_.of(i) == Phase::running) outcome.trace.push_back(cursor.meter->trace());
    return outcome;
  }

  /// Sets a step's only outcome and releases, or blocks, its dependents.
  void settle(size_t i, plan::StepOutcome outcome) {
    ready_.remove(i);
    if (phases_.of(i) == Phase::delayed) delayed_.erase({cursors_[i].resume_at, i});
    phases_.set(i, Phase::finished);
    outcome.environment = plan::test_environment(plan_.steps[i].action);
    outcome.needs = plan_.steps[i].needs;
    outcome.axes = plan_.steps[i].axes;
    const plan::StepState state = outcome.state;
    if (state == plan::StepState::failed) {
      ++failed_;
      if (options_.on_failure == OnFailure::stop_starting && stopped_by_.empty()) {
        stopped_by_ = outcome.id;
      }
    }
    outcomes_[i] = std::move(outcome);
    around_.status.step_finished(outcomes_[i]);
    if (state == plan::StepState::failed && outcomes_[i].error &&
        outcomes_[i].error->kind == ErrorKind::unplanned_wheel) {
      block_other_builds(i);
    }
    const bool good = state == plan::StepState::done || state == plan::StepState::reused ||
                      state == plan::StepState::skipped;
    for (const size_t next : graph_.dependents[i]) {
      if (phases_.of(next) == Phase::finished) continue;
      if (good) {
        if (--cursors_[next].open_needs > 0) continue;
        cursors_[next].meter->name_wait(outcomes_[i].id);
        open(next);
      } else if (state == plan::StepState::failed) {
        block(next, fmt::format("{} failed", quoted(outcomes_[i].id)));
      } else if (state == plan::StepState::blocked) {
        block(next, outcomes_[i].reason);
      } else if (state == plan::StepState::unfinished) {
        leave_unfinished(next, i);
      }
    }
  }

  /// Every other build of the project would make the same kind of wheel, so all are blocked.
  void block_other_builds(size_t by) {
    for (const size_t i : phases_.in({Phase::waiting, Phase::ready, Phase::submitted})) {
      if (phases_.of(i) == Phase::finished) continue;
      if (!std::holds_alternative<plan::BuildWheel>(plan_.steps[i].action)) continue;
      block(i, fmt::format("not started after {} failed", quoted(plan_.steps[by].id)));
    }
  }

  /// Cancels the job of a step whose outcome no longer depends on it.
  void withdraw(size_t i) {
    if (phases_.is_job(i)) withdrawn_.push_back(cursors_[i].token);
  }

  /// All at once: a cluster is asked about its jobs for each call.
  void cancel_withdrawn() {
    if (!withdrawn_.empty()) around_.executor.cancel(std::exchange(withdrawn_, {}));
  }

  void block(size_t i, std::string reason) {
    withdraw(i);
    plan::StepOutcome outcome = outcome_of(i, plan::StepState::blocked);
    outcome.reason = std::move(reason);
    settle(i, std::move(outcome));
  }

  /// A step that needs an unfinished step runs when that step continues.
  void leave_unfinished(size_t i, size_t need) {
    plan::StepOutcome outcome = outcome_of(i, plan::StepState::unfinished);
    const bool first = outcomes_[need].error.has_value();
    outcome.reason = first ? fmt::format("{} is unfinished", quoted(outcomes_[need].id))
                           : outcomes_[need].reason;
    settle(i, std::move(outcome));
  }

  /// Records the end of a started step.
  void conclude(size_t i, plan::StepOutcome outcome) {
    if (options_.span) outcome.span = options_.span(outcome.id);
    if (Done recorded = around_.recorder.finished(outcome); !recorded) {
      outcome.state = plan::StepState::failed;
      outcome.error = std::move(recorded).error();
      stopped_by_ = outcome.id;
    }
    settle(i, std::move(outcome));
  }

  void wake_delayed() {
    const TimePoint now = around_.clock.steady();
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
      const size_t i = delayed_.begin()->second;
      delayed_.erase(delayed_.begin());
      phases_.set(i, Phase::ready);
      cursors_[i].meter->wait_for(plan::WaitCause::slot);
      if (!phases_.is_remote(i)) ready_.add(i, cursors_[i].cores_limit);
    }
  }

  void start_ready() {
    while (!stopping()) {
      const std::optional<StartedStep> next = ready_.next();
      if (!next) break;
      start(*next);
    }
    for (const auto& [i, lacks] : ready_.new_shortages()) {
      cursors_[i].meter->wait_for(lacks.cause, lacks.pool);
    }
  }

  /// The next attempt of a step, with what its submission adds.
  StepJob next_job(size_t i) {
    Cursor& cursor = cursors_[i];
    const plan::Step& step = plan_.steps[i];
    StepJob job;
    ++cursor.submissions;
    job.token = options_.token ? options_.token(step.id, cursor.submissions)
                               : job_token(plan_.digest, step.id, cursor.submissions);
    job.growth = cursor.growth;
    Attempt& attempt = job.attempt;
    attempt.step = &step;
    attempt.key = cursor.key.empty() ? step.key : cursor.key;
    attempt.number = cursor.attempts + 1;
    attempt.log = options_.logs / fmt::format("{}.{}.log", stems_[i], attempt.number);
    attempt.scratch = options_.scratch / fmt::format("{}.{}", stems_[i], attempt.number);
    attempt.meter = cursor.meter;
    attempt.until = options_.until;
    attempt.checkpoints = options_.checkpoints;
    if (options_.passed_trace) attempt.trace = options_.passed_trace(step.id, attempt.number);
    cursor.token = job.token;
    return job;
  }

  /// Records that the attempt starts. Its step has failed, and the run stops, if that is false.
  bool record_start(size_t i, const Attempt& attempt) {
    Done recorded = around_.recorder.started(attempt);
    if (recorded) return true;
    plan::StepOutcome outcome = outcome_of(i, plan::StepState::failed);
    outcome.error = std::move(recorded).error();
    stopped_by_ = plan_.steps[i].id;
    settle(i, std::move(outcome));
    return false;
  }

  /// The attempt runs from now on.
  void mark_started(size_t i, const Attempt& attempt, std::optional<uint64_t> memory) {
    Cursor& cursor = cursors_[i];
    // The record was written to the disk, which is not the step's own time.
    const TimePoint now = around_.clock.steady();
    if (cursor.attempts == 0) cursor.first_start = now;
    ++cursor.attempts;
    cursor.meter->start(attempt.cores, memory);
    phases_.set(i, Phase::running);
    cursor.start = now;
    cursor.cores = attempt.cores;
    cursor.log = attempt.log.string();
    around_.status.step_started(plan_.steps[i], attempt.number, attempt.cores);
  }

  void start(const StartedStep& next) {
    const size_t i = next.step;
    StepJob job = next_job(i);
    if (!record_start(i, job.attempt)) {
      ready_.release(next);
      return;
    }
    job.attempt.cores = next.cores;
    for (const size_t need : graph_.needs[i]) job.attempt.needs.push_back(outcomes_[need]);
    const uint64_t memory = ready_.memory_of(next);
    mark_started(i, job.attempt, memory == 0 ? std::nullopt : std::optional(memory));
    std::vector<StepJob> jobs;
    jobs.push_back(std::move(job));
    around_.executor.submit(jobs);
  }

  /// Submits the steps that their executor schedules: each need has ended well, or is a job of the
  /// same executor.
  void submit_ready() {
    const Capabilities can = around_.executor.capabilities();
    std::vector<StepJob> batch;
    while (const std::optional<size_t> i = phases_.next_to_submit()) {
      const bool early = can.dependencies && !cursors_[*i].after_needs;
      if (phases_.of(*i) == Phase::waiting && !early) continue;
      batch.push_back(submitted_job(*i));
      if (batch.size() < can.largest_batch) continue;
      around_.executor.submit(batch);
      batch.clear();
    }
    if (!batch.empty()) around_.executor.submit(batch);
  }

  StepJob submitted_job(size_t i) {
    by_token_.erase(cursors_[i].token);
    StepJob job = next_job(i);
    by_token_[job.token] = i;
    for (const size_t need : graph_.needs[i]) {
      if (phases_.of(need) == Phase::finished) {
        job.attempt.needs.push_back(outcomes_[need]);
      } else {
        job.after.push_back(cursors_[need].token);
      }
    }
    const Placement placed = around_.executor.placement_of(job);
    if (placed.log) job.attempt.log = *placed.log;
    if (placed.cores > 0) job.attempt.cores = placed.cores;
    phases_.set(i, Phase::submitted);
    cursors_[i].log = job.attempt.log.string();
    cursors_[i].cores = job.attempt.cores;
    return job;
  }

  /// The step of a job; nullopt if it has ended or was submitted again meanwhile.
  std::optional<size_t> step_of(const std::string& token) const {
    const auto job = by_token_.find(token);
    if (job == by_token_.end() || phases_.of(job->second) == Phase::finished) return std::nullopt;
    return job->second;
  }

  /// A job that its executor scheduled has started. False if that cannot be recorded.
  bool begin(size_t i) {
    const Cursor& cursor = cursors_[i];
    Attempt attempt;
    attempt.step = &plan_.steps[i];
    attempt.key = cursor.key.empty() ? plan_.steps[i].key : cursor.key;
    attempt.number = cursor.attempts + 1;
    attempt.cores = cursor.cores;
    attempt.log = cursor.log;
    if (!record_start(i, attempt)) {
      around_.executor.cancel({cursor.token});
      return false;
    }
    mark_started(i, attempt, std::nullopt);
    return true;
  }

  /// When nothing new may start, queued steps and those waiting for a retry get their outcome.
  void settle_what_cannot_start() {
    if (!stopping()) return;
    // A canceled job still reports its end; without a signal, a step that still waits for a need
    // gets its outcome when that need does.
    const Phase other = signal_ != 0 ? Phase::waiting : Phase::submitted;
    for (const size_t i : phases_.in({Phase::ready, Phase::delayed, other})) {
      if (phases_.of(i) == Phase::finished) continue;
      if (signal_ != 0) {
        interrupt(i);
      } else if (const std::optional<Error> error = cursors_[i].last_error) {
        withdraw(i);
        plan::StepOutcome outcome = outcome_of(i, plan::StepState::failed);
        outcome.error = error;
        conclude(i, std::move(outcome));
      } else {
        block(i, fmt::format("not started after {} failed", quoted(stopped_by_)));
      }
    }
  }

  void interrupt(size_t i) {
    plan::StepOutcome outcome = outcome_of(i, plan::StepState::interrupted);
    outcome.reason = cursors_[i].attempts == 0 ? "not started" : "";
    outcome.error = Error{ErrorKind::interrupted, "the run was interrupted"};
    if (cursors_[i].attempts == 0) return settle(i, std::move(outcome));
    conclude(i, std::move(outcome));
  }

  TimePoint next_deadline() const {
    TimePoint deadline = around_.clock.steady() + kTick;
    if (signal_ != 0) return std::min(deadline, cancel_limit_);
    if (!delayed_.empty()) deadline = std::min(deadline, delayed_.begin()->first);
    return beat_is_due_ ? std::min(deadline, next_beat_) : deadline;
  }

  void handle(const Event& event) {
    if (const Completed* completed = std::get_if<Completed>(&event)) {
      complete(*completed);
    } else if (const Began* began = std::get_if<Began>(&event)) {
      const std::optional<size_t> i = step_of(began->token);
      if (i && phases_.of(*i) == Phase::submitted) begin(*i);
    } else if (const Interrupted* interrupted = std::get_if<Interrupted>(&event)) {
      if (signal_ != 0) return;
      signal_ = interrupted->signal;
      cancel_limit_ = around_.clock.steady() + kCancelLimit;
      cancel_all();
    }
    if (signal_ == 0 || around_.clock.steady() < cancel_limit_) return;
    for (size_t i = 0; i < cursors_.size(); ++i) {
      if (phases_.of(i) != Phase::finished) interrupt(i);
    }
  }

  void cancel_all() {
    std::vector<std::string> tokens;
    for (const size_t i : phases_.in({Phase::submitted, Phase::running})) {
      tokens.push_back(cursors_[i].token);
    }
    around_.executor.cancel(tokens);
  }

  void complete(const Completed& completed) {
    const auto found = graph_.position.find(completed.step);
    if (found == graph_.position.end()) return;
    const size_t i = found->second;
    Cursor& cursor = cursors_[i];
    // The end of an earlier job of the step.
    if (!completed.token.empty() && completed.token != cursor.token) return;
    if (phases_.is_remote(i)) return complete_elsewhere(i, completed);
    if (phases_.of(i) != Phase::running) return;
    ready_.release({i, cursor.cores});
    finish_attempt(i, completed);
  }

  void complete_elsewhere(size_t i, const Completed& completed) {
    Cursor& cursor = cursors_[i];
    if (!phases_.is_job(i)) return;
    if (completed.state == StepJobState::dependency_failed && !cursor.after_needs && signal_ == 0) {
      wait_for_needs(i);
      return recall_dependents(i);
    }
    if (signal_ != 0 && cursor.attempts == 0 && !completed.result) return interrupt(i);
    // Jobs end in any order, and the key of a step is complete only after its needs have ended.
    if (cursor.open_needs > 0) {
      if (signal_ != 0) return interrupt(i);
      cursor.early = completed;
      return;
    }
    if (phases_.of(i) == Phase::submitted && !begin(i)) return;
    finish_attempt(i, completed);
  }

  /// A job did not start because of a need. If the need is submitted again, the step is, too.
  void wait_for_needs(size_t i) {
    cursors_[i].after_needs = true;
    phases_.set(i, cursors_[i].open_needs > 0 ? Phase::waiting : Phase::ready);
  }

  /// Withdraws the jobs that wait for a job which is submitted again: they wait for the new one.
  void recall_dependents(size_t i) {
    for (const size_t next : graph_.dependents[i]) {
      if (!phases_.is_job(next)) continue;
      withdraw(next);
      wait_for_needs(next);
      recall_dependents(next);
    }
  }

  void finish_attempt(size_t i, const Completed& completed) {
    completed.result ? succeed(i, completed) : fail_attempt(i, completed);
  }

  /// Adds what the machine that ran the job recorded.
  plan::StepOutcome with_record(size_t i, const Completed& completed, plan::StepOutcome outcome) {
    if (!completed.record) return outcome;
    cursors_[i].more_attempts += std::max(0, completed.record->attempts - 1);
    outcome.attempts += cursors_[i].more_attempts;
    adopt_record(*completed.record, outcome);
    return outcome;
  }

  void succeed(size_t i, const Completed& completed) {
    const Success& success = *completed.result;
    plan::StepOutcome outcome =
        outcome_of(i, success.skipped ? plan::StepState::skipped : plan::StepState::done);
    outcome.outputs = success.outputs;
    outcome.derivations = success.derivations;
    outcome.evidence = success.evidence;
    outcome.warnings = success.warnings;
    set_duration(success, since(cursors_[i].start), outcome);
    if (success.skipped) outcome.reason = *success.skipped;
    conclude(i, with_record(i, completed, std::move(outcome)));
  }

  std::optional<Again> again_after(size_t i, const Completed& completed) {
    const Cursor& cursor = cursors_[i];
    if (stopping()) return std::nullopt;
    // Another job of this run would end at the same time.
    if (completed.state == StepJobState::unfinished && options_.until) return std::nullopt;
    if (!phases_.is_remote(i)) {
      return try_again(plan_.steps[i].retry, completed.result.error().kind, cursor.failures,
                       random_);
    }
    return submit_again(around_.executor, plan_.steps[i], completed, cursor.growth, cursor.failures,
                        random_);
  }

  void fail_attempt(size_t i, const Completed& completed) {
    const Error& error = completed.result.error();
    Cursor& cursor = cursors_[i];
    const std::optional<Again> again = again_after(i, completed);
    if (!again) {
      plan::StepState state = plan::StepState::failed;
      if (error.kind == ErrorKind::interrupted) state = plan::StepState::interrupted;
      if (error.kind == ErrorKind::unfinished) state = plan::StepState::unfinished;
      plan::StepOutcome outcome = outcome_of(i, state);
      outcome.error = error;
      if (state == plan::StepState::unfinished) {
        outcome.reason = error.message;
        outcome.warnings = {error.message};
      }
      conclude(i, with_record(i, completed, std::move(outcome)));
      return;
    }
    const bool grown = again->growth != cursor.growth;
    const bool continued = completed.state == StepJobState::unfinished;
    if (continued) ++cursor.failures.unfinished;
    if (!grown && !again->halve_cores && !continued) ++cursor.failures.transient;
    if (again->halve_cores) ++cursor.failures.out_of_memory;
    if (again->halve_cores) cursor.cores_limit = std::max(1, cursor.cores / 2);
    cursor.growth = again->growth;
    cursor.trace.push_back(cursor.meter->trace());
    recall_dependents(i);
    queue(i, plan::WaitCause::retry);
    phases_.set(i, Phase::delayed);
    cursor.resume_at = around_.clock.steady() + again->delay;
    delayed_.emplace(cursor.resume_at, i);
    cursor.last_error = error;
    around_.status.step_retry(plan_.steps[i], error, again->delay);
  }

  void add_pending(size_t i, Progress& progress) const {
    Pending pending{plan_.steps[i].id, {}};
    for (const size_t need : graph_.needs[i]) {
      if (phases_.of(need) != Phase::finished) pending.needs.push_back(plan_.steps[need].id);
    }
    progress.pending.push_back(std::move(pending));
  }

  Running running_at(size_t i) const {
    const Cursor& cursor = cursors_[i];
    const plan::Step& step = plan_.steps[i];
    const std::chrono::duration<double> earlier(
        step.prediction == plan::Prediction::measured ? step.predicted_seconds : 0);
    return {step.id,      cursor.attempts,
            cursor.cores, since(cursor.start),
            cursor.log,   std::chrono::duration_cast<milliseconds>(earlier)};
  }

  StepProgress progress_of(size_t i) const {
    const Cursor& cursor = cursors_[i];
    if (phases_.of(i) == Phase::running) {
      return {SimulatedPhase::running, cursor.cores, since(cursor.start)};
    }
    const bool ended = phases_.of(i) == Phase::finished || stopping();
    return {ended ? SimulatedPhase::ended : SimulatedPhase::waiting};
  }

  /// The predicted rest at this time of the run. Simulated anew once in a while: that takes longer
  /// the more steps there are.
  std::optional<Outlook> outlook(milliseconds elapsed) {
    // The resources of a cluster are not known.
    if (phases_.any_remote()) return std::nullopt;
    const milliseconds valid = kTick + milliseconds(cursors_.size());
    if (!looked_at_ || elapsed - *looked_at_ >= valid) {
      std::vector<StepProgress> steps;
      steps.reserve(cursors_.size());
      for (size_t i = 0; i < cursors_.size(); ++i) steps.push_back(progress_of(i));
      outlook_ = look_ahead(plan_, graph_, policy_, steps);
      looked_at_ = elapsed;
    }
    std::optional<Outlook> now = outlook_;
    if (now) now->left = std::max(now->left - (elapsed - *looked_at_), milliseconds(0));
    return now;
  }

  /// While many steps run, this does not follow each event, because it lists all of them.
  void beat() {
    const TimePoint now = around_.clock.steady();
    beat_is_due_ = now < next_beat_;
    if (beat_is_due_) return;
    const size_t listed = phases_.count(Phase::running) + phases_.count(Phase::delayed);
    next_beat_ = now + std::min(kTick, milliseconds(listed / kListedPerMillisecond));
    around_.status.heartbeat(progress());
  }

  Progress progress() {
    Progress now{cursors_.size(), phases_.count(Phase::finished), failed_, since(begun_)};
    now.now = around_.clock.now();
    now.outlook = outlook(now.elapsed);
    const auto pending = {Phase::waiting, Phase::ready, Phase::submitted};
    for (const Phase phase : pending) now.pending_total += phases_.count(phase);
    for (const size_t i : phases_.in(pending, kMostPending)) add_pending(i, now);
    for (const size_t i : phases_.in({Phase::delayed})) {
      now.retrying.push_back({plan_.steps[i].id, -since(cursors_[i].resume_at)});
    }
    std::vector<size_t> running = phases_.in({Phase::running});
    std::stable_sort(running.begin(), running.end(),
                     [this](size_t a, size_t b) { return cursors_[a].start < cursors_[b].start; });
    now.running.reserve(running.size());
    for (const size_t i : running) now.running.push_back(running_at(i));
    return now;
  }

  const plan::Plan& plan_;
  const ExecuteOptions& options_;
  const ExecutionPorts& around_;
  const Graph graph_;
  const std::vector<std::string> stems_;
  const std::map<std::string, plan::StepOutcome> reused_;  ///< known before anything runs
  const Policy policy_;
  ReadySteps ready_;
  std::mt19937_64 random_;
  std::vector<Cursor> cursors_;
  StepPhases phases_;
  std::set<std::pair<TimePoint, size_t>> delayed_;    ///< when steps are ready again
  std::unordered_map<std::string, size_t> by_token_;  ///< steps that their executor schedules
  std::vector<std::string> withdrawn_;                ///< tokens to cancel
  std::vector<plan::StepOutcome> outcomes_;
  const TimePoint begun_;
  const AttemptMeter::Now now_;
  size_t failed_ = 0;
  int signal_ = 0;
  std::string stopped_by_;  ///< the step after whose failure nothing new starts
  TimePoint cancel_limit_ = {};
  TimePoint next_beat_ = {};
  bool beat_is_due_ = false;             ///< and comes at `next_beat_`
  std::optional<Outlook> outlook_ = {};  ///< as it was at `looked_at_`
  std::optional<milliseconds> looked_at_ = {};
};

}  // namespace

plan::Report execute(const plan::Plan& plan, const ExecuteOptions& options,
                     const ExecutionPorts& around) {
  return Execution(plan, options, around).run();
}

}  // namespace pinwheel::run
