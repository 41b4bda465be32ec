#include "run/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/retries.h"
#include "base/text.h"
#include "run/outlook.h"
#include "run/ranks.h"
#include "run/schedule.h"
#include "run/simulate.h"

namespace pinwheel::run {
namespace {

std::string stem_of(const std::string& id) {
  std::string stem = id;
  for (char& c : stem) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                       c == '+' || c == '-';
    if (!plain) c = '-';
  }
  return stem;
}

/// Unique file name stems, one per step, of letters, digits and `._+-`: "build-cp312-cu130".
std::vector<std::string> file_stems(const plan::Plan& plan) {
  std::vector<std::string> stems;
  std::set<std::string> used;
  for (const plan::Step& step : plan.steps) {
    const std::string base = stem_of(step.id);
    std::string stem = base;
    for (int i = 2; !used.insert(stem).second; ++i) stem = base + "+" + std::to_string(i);
    stems.push_back(std::move(stem));
  }
  return stems;
}

/// Whether to retry a step after a failure of `kind`, which `before` does not include yet. A
/// transient failure: up to `retry.transient` times, after a delay that doubles from `backoff_min`
/// to `backoff_max`, with a random upper half so that many clients do not retry at the same time.
/// Out of memory: once, immediately, with half the cores. Everything else: never.
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

using std::chrono::milliseconds;
using TimePoint = std::chrono::steady_clock::time_point;

constexpr milliseconds kTick = std::chrono::seconds(1);
constexpr size_t kMostPending = 3;
/// After a signal: within the 5 seconds of the contract, with time to record the rest.
constexpr milliseconds kCancelLimit = milliseconds(4500);

enum class Phase { waiting, ready, running, delayed, finished };

/// The state of one step.
struct Cursor {
  Phase phase = Phase::waiting;
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
};

/// The predicted durations of the steps that are not reused.
std::vector<milliseconds> remaining_times(const plan::Plan& plan,
                                          const std::map<std::string, plan::StepOutcome>& reused) {
  std::vector<milliseconds> times = predicted_times(plan);
  for (size_t i = 0; i < times.size(); ++i) {
    if (reused.contains(plan.steps[i].id)) times[i] = milliseconds(0);
  }
  return times;
}

/// The time of this run: the wall clock when it began, plus steady time, so that it never
/// decreases. For any thread; the clock must outlive it.
AttemptMeter::Now run_time(const ports::Clock& clock) {
  const auto wall = std::chrono::floor<milliseconds>(clock.now());
  return [&clock, wall, begun = clock.steady()] {
    return wall + std::chrono::duration_cast<milliseconds>(clock.steady() - begun);
  };
}

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
    while (unfinished()) {
      wake_delayed();
      if (!stopping()) start_ready();
      settle_what_cannot_start();
      if (!unfinished()) break;
      // Sent after the steps that can start have started, so that no step is reported as waiting
      // that runs in a moment.
      beat();
      handle(around_.runner.wait(next_deadline()));
    }
    plan::Report report{std::move(outcomes_), since(begun_), signal_};
    around_.status.summary(report);
    return report;
  }

 private:
  milliseconds since(TimePoint then) const {
    return std::chrono::duration_cast<milliseconds>(around_.clock.steady() - then);
  }
  bool unfinished() const { return finished_ < cursors_.size(); }
  bool stopping() const { return signal_ != 0 || !stopped_by_.empty(); }

  /// The next attempt of a step waits from now on.
  void queue(size_t i, plan::WaitCause cause) {
    cursors_[i].meter = std::make_shared<AttemptMeter>(options_.worker, now_);
    cursors_[i].meter->wait_for(cause);
  }

  void open_first() {
    for (size_t i = 0; i < cursors_.size(); ++i) {
      if (cursors_[i].phase == Phase::waiting && cursors_[i].open_needs == 0) open(i);
    }
  }

  /// All needs of a step have ended: its key is complete, and it is reused or queued.
  void open(size_t i) {
    Cursor& cursor = cursors_[i];
    std::vector<plan::StepOutcome> needs;
    for (const size_t need : graph_.needs[i]) needs.push_back(outcomes_[need]);
    cursor.parts = plan::result_parts(plan_.steps[i], needs);
    cursor.key = plan::key_of(cursor.parts);
    cursor.phase = Phase::ready;
    cursor.meter->wait_for(plan::WaitCause::slot);
    if (auto reused = plan::find_result(options_.results, plan_.steps[i].id, cursor.parts)) {
      settle(i, *std::move(reused));
    } else {
      ready_.add(i, cursor.cores_limit);
    }
  }

  void reject_invalid_plan() {
    const std::string need = graph_.unknown_needs.front();
    for (size_t i = 0; i < cursors_.size(); ++i) {
      if (cursors_[i].phase == Phase::finished) continue;
      plan::StepOutcome outcome = outcome_of(i, plan::StepState::failed);
      outcome.error =
          Error{ErrorKind::internal,
                fmt::format("step {} is needed before it is planned", pinwheel::quoted(need))};
      settle(i, std::move(outcome));
    }
  }

  plan::StepOutcome outcome_of(size_t i, plan::StepState state) const {
    const Cursor& cursor = cursors_[i];
    plan::StepOutcome outcome;
    outcome.id = plan_.steps[i].id;
    outcome.key = cursor.key.empty() ? plan_.steps[i].key : cursor.key;
    outcome.parts = cursor.parts;
    outcome.state = state;
    outcome.attempts = cursor.attempts;
    outcome.log = cursor.log;
    if (cursor.attempts > 0) outcome.elapsed = since(cursor.first_start);
    outcome.needs = plan_.steps[i].needs;
    outcome.axes = plan_.steps[i].axes;
    outcome.trace = cursor.trace;
    if (cursor.phase == Phase::running) outcome.trace.push_back(cursor.meter->trace());
    return outcome;
  }

  /// Sets a step's only outcome and releases, or blocks, its dependents.
  void settle(size_t i, plan::StepOutcome outcome) {
    Cursor& cursor = cursors_[i];
    ready_.remove(i);
    cursor.phase = Phase::finished;
    ++finished_;
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
      if (cursors_[next].phase == Phase::finished) continue;
      if (good) {
        if (--cursors_[next].open_needs > 0) continue;
        cursors_[next].meter->name_wait(outcomes_[i].id);
        open(next);
      } else if (state == plan::StepState::failed) {
        block(next, fmt::format("{} failed", quoted(outcomes_[i].id)));
      } else if (state == plan::StepState::blocked) {
        block(next, outcomes_[i].reason);
      }
    }
  }

  /// Every other build of the project would make the same kind of wheel, so all are blocked.
  void block_other_builds(size_t by) {
    for (size_t i = 0; i < cursors_.size(); ++i) {
      const Phase phase = cursors_[i].phase;
      const bool open = phase == Phase::waiting || phase == Phase::ready;
      if (!open || !std::holds_alternative<plan::BuildWheel>(plan_.steps[i].action)) continue;
      block(i, fmt::format("not started after {} failed", quoted(plan_.steps[by].id)));
    }
  }

  void block(size_t i, std::string reason) {
    plan::StepOutcome outcome = outcome_of(i, plan::StepState::blocked);
    outcome.reason = std::move(reason);
    settle(i, std::move(outcome));
  }

  /// Records the end of a started step.
  void conclude(size_t i, plan::StepOutcome outcome) {
    if (Done recorded = around_.recorder.finished(outcome); !recorded) {
      outcome.state = plan::StepState::failed;
      outcome.error = std::move(recorded).error();
      stopped_by_ = outcome.id;
    }
    settle(i, std::move(outcome));
  }

  void wake_delayed() {
    const TimePoint now = around_.clock.steady();
    for (size_t i = 0; i < cursors_.size(); ++i) {
      Cursor& cursor = cursors_[i];
      if (cursor.phase != Phase::delayed || cursor.resume_at > now) continue;
      cursor.phase = Phase::ready;
      cursor.meter->wait_for(plan::WaitCause::slot);
      ready_.add(i, cursor.cores_limit);
    }
  }

  void start_ready() {
    while (!stopping()) {
      const std::optional<StartedStep> next = ready_.next();
      if (!next) break;
      start(*next);
    }
    for (const auto& [i, lacks] : ready_.shortages()) {
      cursors_[i].meter->wait_for(lacks.cause, lacks.pool);
    }
  }

  void start(const StartedStep& next) {
    const size_t i = next.step;
    const plan::Step& step = plan_.steps[i];
    Cursor& cursor = cursors_[i];
    Attempt attempt;
    attempt.step = &step;
    attempt.key = cursor.key;
    attempt.number = cursor.attempts + 1;
    attempt.log = options_.logs / fmt::format("{}.{}.log", stems_[i], attempt.number);
    if (Done recorded = around_.recorder.started(attempt); !recorded) {
      plan::StepOutcome outcome = outcome_of(i, plan::StepState::failed);
      outcome.error = std::move(recorded).error();
      stopped_by_ = step.id;
      ready_.release(next);
      settle(i, std::move(outcome));
      return;
    }
    // The record is written to the disk, which is not the step's own time.
    const TimePoint now = around_.clock.steady();
    if (cursor.attempts == 0) cursor.first_start = now;
    ++cursor.attempts;
    attempt.cores = next.cores;
    attempt.scratch = options_.scratch / fmt::format("{}.{}", stems_[i], attempt.number);
    for (const size_t need : graph_.needs[i]) attempt.needs.push_back(outcomes_[need]);
    attempt.meter = cursor.meter;
    if (options_.passed_trace) attempt.trace = options_.passed_trace(step.id, attempt.number);
    const uint64_t memory = ready_.memory_of(next);
    cursor.meter->start(next.cores, memory == 0 ? std::nullopt : std::optional(memory));
    cursor.phase = Phase::running;
    cursor.start = now;
    cursor.cores = next.cores;
    cursor.log = attempt.log.string();
    around_.status.step_started(step, attempt.number, next.cores);
    around_.runner.start(attempt);
  }

  /// When nothing new may start, queued steps and those waiting for a retry get their outcome.
  void settle_what_cannot_start() {
    if (!stopping()) return;
    for (size_t i = 0; i < cursors_.size(); ++i) {
      Cursor& cursor = cursors_[i];
      if (cursor.phase == Phase::finished || cursor.phase == Phase::running) continue;
      if (signal_ != 0) {
        interrupt(i);
      } else if (cursor.attempts > 0) {
        plan::StepOutcome outcome = outcome_of(i, plan::StepState::failed);
        outcome.error = cursor.last_error;
        conclude(i, std::move(outcome));
      } else if (cursor.phase == Phase::ready) {
        block(i, fmt::format("not started after {} failed", quoted(stopped_by_)));
      }
      // A step that still waits for a need gets its outcome when that need does.
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
    for (const Cursor& cursor : cursors_) {
      if (cursor.phase == Phase::delayed) deadline = std::min(deadline, cursor.resume_at);
    }
    return deadline;
  }

  void handle(const Event& event) {
    if (const Completed* completed = std::get_if<Completed>(&event)) {
      complete(*completed);
    } else if (const Interrupted* interrupted = std::get_if<Interrupted>(&event)) {
      if (signal_ != 0) return;
      signal_ = interrupted->signal;
      cancel_limit_ = around_.clock.steady() + kCancelLimit;
      around_.runner.cancel_all();
    }
    if (signal_ == 0 || around_.clock.steady() < cancel_limit_) return;
    for (size_t i = 0; i < cursors_.size(); ++i) {
      if (cursors_[i].phase != Phase::finished) interrupt(i);
    }
  }

  void complete(const Completed& completed) {
    const auto found = graph_.position.find(completed.step);
    if (found == graph_.position.end()) return;
    const size_t i = found->second;
    if (cursors_[i].phase != Phase::running) return;
    ready_.release({i, cursors_[i].cores});
    if (completed.result) {
      succeed(i, *completed.result);
    } else {
      fail_attempt(i, completed.result.error());
    }
  }

  void succeed(size_t i, const Success& success) {
    plan::StepOutcome outcome =
        outcome_of(i, success.skipped ? plan::StepState::skipped : plan::StepState::done);
    outcome.outputs = success.outputs;
    outcome.derivations = success.derivations;
    outcome.evidence = success.evidence;
    outcome.warnings = success.warnings;
    outcome.installing = std::min(success.installing, outcome.elapsed);
    outcome.elapsed -= outcome.installing;
    if (success.skipped) outcome.reason = *success.skipped;
    conclude(i, std::move(outcome));
  }

  void fail_attempt(size_t i, const Error& error) {
    Cursor& cursor = cursors_[i];
    const std::optional<Again> again =
        stopping() ? std::nullopt
                   : try_again(plan_.steps[i].retry, error.kind, cursor.failures, random_);
    if (!again) {
      const bool interrupted = error.kind == ErrorKind::interrupted;
      plan::StepOutcome outcome =
          outcome_of(i, interrupted ? plan::StepState::interrupted : plan::StepState::failed);
      outcome.error = error;
      conclude(i, std::move(outcome));
      return;
    }
    if (error.kind == ErrorKind::transient) ++cursor.failures.transient;
    if (error.kind == ErrorKind::out_of_memory) ++cursor.failures.out_of_memory;
    if (again->halve_cores) cursor.cores_limit = std::max(1, cursor.cores / 2);
    cursor.trace.push_back(cursor.meter->trace());
    queue(i, plan::WaitCause::retry);
    cursor.phase = Phase::delayed;
    cursor.resume_at = around_.clock.steady() + again->delay;
    cursor.last_error = error;
    around_.status.step_retry(plan_.steps[i], error, again->delay);
  }

  void add_pending(size_t i, Progress& progress) const {
    if (progress.pending_total++ >= kMostPending) return;
    Pending pending{plan_.steps[i].id, {}};
    for (const size_t need : graph_.needs[i]) {
      if (cursors_[need].phase != Phase::finished) pending.needs.push_back(plan_.steps[need].id);
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
    if (cursor.phase == Phase::running) {
      return {SimulatedPhase::running, cursor.cores, since(cursor.start)};
    }
    const bool ended = cursor.phase == Phase::finished || stopping();
    return {ended ? SimulatedPhase::ended : SimulatedPhase::waiting};
  }

  /// The predicted rest at this time of the run. Simulated anew once in a while: that takes longer
  /// the more steps there are.
  std::optional<Outlook> outlook(milliseconds elapsed) {
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

  void beat() {
    Progress progress{cursors_.size(), finished_, failed_, since(begun_)};
    progress.now = around_.clock.now();
    progress.outlook = outlook(progress.elapsed);
    std::vector<size_t> running;
    for (size_t i = 0; i < cursors_.size(); ++i) {
      const Phase phase = cursors_[i].phase;
      if (phase == Phase::running) running.push_back(i);
      if (phase == Phase::waiting || phase == Phase::ready) add_pending(i, progress);
      if (phase != Phase::delayed) continue;
      progress.retrying.push_back({plan_.steps[i].id, -since(cursors_[i].resume_at)});
    }
    std::stable_sort(running.begin(), running.end(),
                     [this](size_t a, size_t b) { return cursors_[a].start < cursors_[b].start; });
    for (const size_t i : running) progress.running.push_back(running_at(i));
    around_.status.heartbeat(progress);
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
  std::vector<plan::StepOutcome> outcomes_;
  const TimePoint begun_;
  const AttemptMeter::Now now_;
  size_t finished_ = 0;
  size_t failed_ = 0;
  int signal_ = 0;
  std::string stopped_by_;  ///< the step after whose failure nothing new starts
  TimePoint cancel_limit_ = {};
  std::optional<Outlook> outlook_ = {};  ///< as it was at `looked_at_`
  std::optional<milliseconds> looked_at_ = {};
};

}  // namespace

plan::Report execute(const plan::Plan& plan, const ExecuteOptions& options,
                     const ExecutionPorts& around) {
  return Execution(plan, options, around).run();
}

}  // namespace pinwheel::run
