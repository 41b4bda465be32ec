#include "run/wall_time.h"

#include <map>
#include <string>
#include <utility>

#include "ports/clock.h"
#include "run/execute.h"
#include "run/silent.h"

namespace pinwheel::run {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// Simulated time: it only advances when the runner moves it.
class JumpingClock final : public ports::Clock {
 public:
  std::chrono::system_clock::time_point now() const override { return {}; }
  SteadyTime steady() const override { return time_; }
  void jump_to(SteadyTime time) { time_ = time; }

 private:
  SteadyTime time_ = {};
};

/// Attempts that succeed after their predicted time.
class PredictedRunner final : public Runner {
 public:
  explicit PredictedRunner(JumpingClock& clock) : clock_(clock) {}

  void start(const Attempt& attempt) override {
    const std::chrono::duration<double> lasts(attempt.step->predicted_seconds);
    const auto whole = std::chrono::ceil<std::chrono::milliseconds>(lasts);
    running_.emplace(clock_.steady() + whole, attempt.step->id);
  }

  Event wait(SteadyTime deadline) override {
    if (running_.empty()) {
      clock_.jump_to(deadline);
      return Deadline{};
    }
    // Deadlines are for heartbeats and retries, and there are none.
    const auto next = running_.begin();
    clock_.jump_to(next->first);
    Completed completed{std::move(next->second), Success{}};
    running_.erase(next);
    return completed;
  }

  void cancel_all() override {}

 private:
  JumpingClock& clock_;
  std::multimap<SteadyTime, std::string> running_;
};

}  // namespace

std::chrono::milliseconds predicted_wall_time(const plan::Plan& plan, const Budget& budget,
                                              const plan::Results& results) {
  JumpingClock clock;
  PredictedRunner runner(clock);
  NoRecorder recorder;
  NoStatus status;
  ExecuteOptions options{.budget = budget};
  options.results = results;
  return execute(plan, options, {runner, recorder, status, clock}).elapsed;
}

}  // namespace pinwheel::run
