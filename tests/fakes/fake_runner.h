#pragma once
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fakes/fake_clock.h"
#include "run/runner.h"
#include "run/status.h"

namespace pinwheel::fakes {

/// The result of an attempt.
struct Script {
  std::chrono::milliseconds lasts = std::chrono::seconds(1);
  Result<run::Success> result = run::Success{};
};

/// Simulates attempts: waiting advances the clock to the next completion.
class FakeRunner final : public run::Runner {
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

  void start(const run::Attempt& attempt) override {
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
    running_.emplace(clock_.steady() + script.lasts,
                     run::Completed{attempt.step->id, script.result});
  }

  run::Event wait(std::chrono::steady_clock::time_point deadline) override {
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
    on_end(completed.step);
    return completed;
  }

  void cancel_all() override {
    if (!obeys_cancel) return;
    std::multimap<std::chrono::steady_clock::time_point, run::Completed> canceled;
    for (auto& [time, completed] : running_) {
      completed.result = fail(ErrorKind::interrupted, "the step was canceled");
      canceled.emplace(clock_.steady(), std::move(completed));
    }
    running_ = std::move(canceled);
  }

 private:
  FakeClock& clock_;
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
