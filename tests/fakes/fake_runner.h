#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_clock.h"
#include "run/executor.h"
#include "run/status.h"

namespace pinwheel::fakes {

/// The result of an attempt.
struct Script {
  std::chrono::milliseconds lasts = std::chrono::seconds(1);
  Result<run::Success> result = run::Success{};
  run::StepJobState state = run::StepJobState::failed;  ///< without a result
};

/// Simulates attempts: waiting advances the clock to the next completion.
class FakeRunner final : public run::Executor {
 public:
  explicit FakeRunner(FakeClock& clock) : clock_(clock) {}

  /// The results of a step's attempts, in order; further ones succeed in a second.
  std::map<std::string, std::deque<Script>> scripts = {};
  /// A signal arrives once, at this time.
  std::optional<std::chrono::steady_clock::time_point> interrupt_at = std::nullopt;
  bool obeys_cancel = true;

  std::vector<run::Attempt> started = {};  ///< their `step` is valid as long as the plan
  std::vector<std::string> started_ids = {};
  std::vector<std::chrono::steady_clock::time_point> started_at = {};
  /// Called with every attempt that starts, and with the id of every one that completes.
  std::function<void(const run::Attempt&)> on_start = [](const run::Attempt&) {};
  std::function<void(const std::string&)> on_end = [](const std::string&) {};

  /// Makes it a cluster: it schedules the steps whose ids do not begin with "publish", takes
  /// dependencies, and lets jobs grow this often.
  bool cluster = false;
  int largest_growth = 0;
  size_t batch = 100;
  bool drops_dependents = true;  ///< ends the jobs whose need failed; else they wait for ever
  std::optional<plan::StepOutcome> record = std::nullopt;  ///< of each job
  std::vector<run::StepJob> submitted = {};
  std::vector<std::string> canceled = {};  ///< tokens
  size_t submissions = 0;                  ///< calls of `submit`
  size_t cancellations = 0;                ///< calls of `cancel`

  run::Capabilities capabilities() const override {
    if (!cluster) return {};
    return {true, batch, run::Lifetime::cluster};
  }
  run::Scheduling scheduling_of(const plan::Step& step) const override {
    const bool here = !cluster || step.id.starts_with("publish");
    return here ? run::Scheduling::loop : run::Scheduling::executor;
  }
  bool can_grow(const plan::Step& /*step*/, run::StepJobState lacked,
                const run::Growth& so_far) const override {
    const bool memory = lacked == run::StepJobState::out_of_memory;
    return (memory ? so_far.memory : so_far.time) < largest_growth;
  }

  void submit(const std::vector<run::StepJob>& jobs) override {
    ++submissions;
    for (const run::StepJob& job : jobs) {
      if (!jobs_.add(job)) continue;
      submitted.push_back(job);
      add(job);
    }
  }

  run::Event poll(std::chrono::steady_clock::time_point deadline) override {
    if (!began_.empty()) {
      const run::Began began = began_.front();
      began_.pop_front();
      return began;
    }
    const auto next = running_.begin();
    const auto end = next == running_.end() ? deadline : std::min(deadline, next->first);
    if (interrupt_at && *interrupt_at <= end) {
      clock_.move_to(*interrupt_at);
      interrupt_at.reset();
      return run::Interrupted{2};
    }
    clock_.move_to(end);
    if (next == running_.end() || next->first > deadline) return run::Deadline{};
    run::Completed completed = std::move(next->second);
    running_.erase(next);
    jobs_.end(completed);
    on_end(completed.step);
    for (const std::string& token : std::exchange(dependents_[completed.token], {})) {
      end_need(token, completed.result ? NeedEnd::good : NeedEnd::bad);
    }
    return completed;
  }

  void cancel(const std::vector<std::string>& tokens) override {
    ++cancellations;
    if (!obeys_cancel) return;
    for (const std::string& token : tokens) {
      canceled.push_back(token);
      if (const auto waiting = waiting_.find(token); waiting != waiting_.end()) {
        end_canceled(waiting->second.job.attempt.step->id, token);
        waiting_.erase(waiting);
        continue;
      }
      const auto running = std::ranges::find_if(
          running_, [&token](const auto& each) { return each.second.token == token; });
      if (running == running_.end()) continue;
      end_canceled(running->second.step, token);
      running_.erase(running);
    }
  }

  std::optional<run::Completed> collect(const std::string& token) const override {
    return jobs_.find(token);
  }

 private:
  void end_canceled(const std::string& step, const std::string& token) {
    running_.emplace(clock_.steady(),
                     run::Completed{step, fail(ErrorKind::interrupted, "the step was canceled"),
                                    token, run::StepJobState::canceled});
  }

  enum class NeedEnd { good, bad };
  /// A job, and its needs that have not ended well.
  struct Waiting {
    run::StepJob job;
    size_t open = 0;
  };

  /// Starts a job, unless it has to wait for its needs.
  void add(const run::StepJob& job) {
    waiting_[job.token] = {job, job.after.size() + 1};
    for (const std::string& need : job.after) {
      const auto end = jobs_.find(need);
      if (!end) dependents_[need].push_back(job.token);
      if (end) end_need(job.token, end->result ? NeedEnd::good : NeedEnd::bad);
    }
    end_need(job.token, NeedEnd::good);
  }

  /// Starts a job after its last need, and ends one with a need that failed.
  void end_need(const std::string& token, NeedEnd how) {
    const auto found = waiting_.find(token);
    if (found == waiting_.end()) return;
    if (how == NeedEnd::bad && !drops_dependents) return;
    if (how == NeedEnd::good && --found->second.open > 0) return;
    const run::StepJob job = std::move(found->second.job);
    waiting_.erase(found);
    if (how == NeedEnd::good) return start(job);
    running_.emplace(
        clock_.steady(),
        run::Completed{job.attempt.step->id, fail(ErrorKind::transient, "a need failed"), job.token,
                       run::StepJobState::dependency_failed});
  }

  void start(const run::StepJob& job) {
    const run::Attempt& attempt = job.attempt;
    Script script;
    std::deque<Script>& scripted = scripts[attempt.step->id];
    if (!scripted.empty()) {
      script = scripted.front();
      scripted.pop_front();
    }
    on_start(attempt);
    started.push_back(attempt);
    started_ids.push_back(attempt.step->id);
    started_at.push_back(clock_.steady());
    if (cluster) began_.push_back({job.token});
    const run::StepJobState state = script.result ? run::StepJobState::succeeded : script.state;
    running_.emplace(clock_.steady() + script.lasts,
                     run::Completed{attempt.step->id, script.result, job.token, state, record});
  }

  FakeClock& clock_;
  run::KnownJobs jobs_;
  std::map<std::string, Waiting> waiting_ = {};                      ///< by token
  std::map<std::string, std::vector<std::string>> dependents_ = {};  ///< by the token of a need
  std::deque<run::Began> began_;
  std::multimap<std::chrono::steady_clock::time_point, run::Completed> running_;
};

/// Records events as lines: "started build 1", "finished build done".
class FakeRecorder final : public run::Recorder {
 public:
  std::vector<std::string> lines = {};
  std::string fails_at = {};  ///< the line that fails to be recorded

  Done started(const run::Attempt& attempt) override {
    return keep("started " + attempt.step->id + " " + std::to_string(attempt.number));
  }
  Done finished(const plan::StepOutcome& outcome) override {
    return keep("finished " + outcome.id + " " + std::string(to_string(outcome.state)));
  }

 private:
  Done keep(const std::string& line) {
    if (line == fails_at) return fail(ErrorKind::environment, "the disk is full");
    lines.push_back(line);
    return {};
  }
};

/// Counts events and keeps heartbeats.
class FakeStatus final : public run::StatusSink {
 public:
  std::vector<std::chrono::milliseconds> delays = {};
  std::map<std::string, int> finished = {};
  std::vector<run::Progress> beats = {};
  int summaries = 0;

  void plan_started(const plan::Plan& /*plan*/, size_t /*reused*/) override {}
  void step_started(const plan::Step& /*step*/, int /*attempt*/, int /*cores*/) override {}
  void step_retry(const plan::Step& /*step*/, const Error& /*error*/,
                  std::chrono::milliseconds delay) override {
    delays.push_back(delay);
  }
  void step_finished(const plan::StepOutcome& outcome) override { ++finished[outcome.id]; }
  void heartbeat(const run::Progress& progress) override { beats.push_back(progress); }
  void summary(const plan::Report& /*report*/) override { ++summaries; }
};

}  // namespace pinwheel::fakes
