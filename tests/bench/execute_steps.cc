#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/execute.h"
#include "run/ranks.h"
#include "run/simulate.h"

// What the loop of runs costs for each step: executes a plan whose steps do nothing and end at
// once, without processes, files and output, and prints the processor times as JSON, in
// ms.
//   execute_steps [STEPS [SLOTS]]
//
// The plan is a release: a hundredth of the steps are environments, the others are builds with one
// test each, and a publication needs everything. Each key has 20 parts. `simulated`: the graph, the
// ranks and a simulation; `loop`: run by the loop within the slots; `cluster`: given to an executor
// that has its own queue and takes dependencies.
namespace {

using namespace pinwheel;
using std::chrono::milliseconds;

plan::Step make_step(const std::string& id, std::vector<std::string> needs) {
  constexpr int kParts = 20;
  plan::Step step{id, "key of " + id, plan::CreateEnvironment{}, std::move(needs)};
  for (int i = 0; i < kParts; ++i) step.parts[fmt::format("part.{}", i)] = "\"a value\"";
  step.parts["id"] = id;
  step.predicted_seconds = 1;
  return step;
}

plan::Plan release(size_t count) {
  constexpr size_t kForEnvironment = 100;
  plan::Plan plan;
  plan.digest = "digest";
  plan::Step publication = make_step("publish:index", {});
  std::string environment;
  while (plan.steps.size() + 1 < count) {
    const std::string name = std::to_string(plan.steps.size());
    if (plan.steps.size() % kForEnvironment == 0) {
      environment = "env:" + name;
      plan.steps.push_back(make_step(environment, {}));
      continue;
    }
    plan.steps.push_back(make_step("build:" + name, {environment}));
    if (plan.steps.size() + 1 == count) break;
    plan.steps.push_back(make_step("test:" + name, {"build:" + name}));
    publication.needs.push_back("test:" + name);
  }
  plan.steps.push_back(std::move(publication));
  return plan;
}

/// Ends each job at the next look, in the order of their submission.
class Instant final : public run::Executor {
 public:
  explicit Instant(run::Scheduling scheduling) : scheduling_(scheduling) {}

  run::Capabilities capabilities() const override {
    constexpr size_t kLargestBatch = 1 << 20;
    if (scheduling_ == run::Scheduling::loop) return {};
    return {true, kLargestBatch, run::Lifetime::cluster};
  }
  run::Scheduling scheduling_of(const plan::Step& /*step*/) const override { return scheduling_; }
  void submit(const std::vector<run::StepJob>& jobs) override {
    for (const run::StepJob& job : jobs) {
      if (!jobs_.add(job)) continue;
      if (scheduling_ == run::Scheduling::executor) events_.emplace_back(run::Began{job.token});
      run::Completed completed{job.attempt.step->id, run::Success{}, job.token};
      jobs_.end(completed);
      events_.emplace_back(std::move(completed));
    }
  }
  run::Event poll(std::chrono::steady_clock::time_point /*deadline*/) override {
    if (events_.empty()) return run::Deadline{};
    run::Event next = std::move(events_.front());
    events_.pop_front();
    return next;
  }
  void cancel(const std::vector<std::string>& /*tokens*/) override {}
  std::optional<run::Completed> collect(const std::string& token) const override {
    return jobs_.find(token);
  }

 private:
  const run::Scheduling scheduling_;
  run::KnownJobs jobs_;
  std::deque<run::Event> events_;
};

class NoRecorder final : public run::Recorder {
 public:
  Done started(const run::Attempt& /*attempt*/) override { return {}; }
  Done finished(const plan::StepOutcome& /*outcome*/) override { return {}; }
};

class NoStatus final : public run::StatusSink {
 public:
  void plan_started(const plan::Plan& /*plan*/, size_t /*reused*/) override {}
  void step_started(const plan::Step& /*step*/, int /*attempt*/, int /*cores*/) override {}
  void step_retry(const plan::Step& /*step*/, const Error& /*error*/,
                  milliseconds /*delay*/) override {}
  void step_finished(const plan::StepOutcome& /*outcome*/) override {}
  void heartbeat(const run::Progress& /*progress*/) override {}
  void summary(const plan::Report& /*report*/) override {}
};

class RealClock final : public ports::Clock {
 public:
  std::chrono::system_clock::time_point now() const override {
    return std::chrono::system_clock::now();
  }
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::now();
  }
};

/// Of the processor: other programs affect it least.
double milliseconds_since(std::clock_t begin) {
  return static_cast<double>(std::clock() - begin) * 1000 / CLOCKS_PER_SEC;
}

double time_to_simulate(const plan::Plan& plan, int slots) {
  const std::clock_t begin = std::clock();
  const run::Budget budget = run::slots_budget(plan, slots);
  const run::Graph graph = run::make_graph(plan);
  const std::vector<milliseconds> lasts = run::predicted_times(plan);
  std::vector<double> ranks = run::scheduling_ranks(plan, graph, budget, lasts);
  if (run::simulate(plan, graph, {budget, lasts, std::move(ranks)}).makespan.count() == 0) return 0;
  return milliseconds_since(begin);
}

/// 0 if not every step succeeded.
double time_to_execute(const plan::Plan& plan, int slots, run::Scheduling scheduling) {
  Instant executor(scheduling);
  NoRecorder recorder;
  NoStatus status;
  RealClock clock;
  run::ExecuteOptions options;
  options.budget = run::slots_budget(plan, slots);
  const std::clock_t begin = std::clock();
  const plan::Report report = run::execute(plan, options, {executor, recorder, status, clock});
  const double took = milliseconds_since(begin);
  return plan::exit_code(report) == 0 ? took : 0;
}

size_t argument(int count, char** values, int at, size_t otherwise) {
  return count > at ? std::strtoul(values[at], nullptr, 10) : otherwise;
}

}  // namespace

int main(int count, char** values) {
  const plan::Plan plan = release(argument(count, values, 1, 100'000));
  const auto slots = static_cast<int>(argument(count, values, 2, 12));
  const double simulated = time_to_simulate(plan, slots);
  const double loop = time_to_execute(plan, slots, run::Scheduling::loop);
  const double cluster = time_to_execute(plan, slots, run::Scheduling::executor);
  fmt::print(
      "{{\"steps\": {}, \"slots\": {}, \"simulated_ms\": {:.0f}, \"loop_ms\": {:.0f}, "
      "\"cluster_ms\": {:.0f}}}\n",
      plan.steps.size(), slots, simulated, loop, cluster);
  return simulated > 0 && loop > 0 && cluster > 0 ? 0 : 1;
}
