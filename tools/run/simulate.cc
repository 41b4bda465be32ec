#include "run/simulate.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace pinwheel::run {
namespace {

using std::chrono::milliseconds;

class SimulatedRun {
 public:
  SimulatedRun(const WantedResources& wanted, const Graph& graph, Assumptions assumptions)
      : graph_(graph),
        assumptions_(std::move(assumptions)),
        ready_(wanted, std::move(assumptions_.ranks), std::move(assumptions_.budget)),
        open_needs_(wanted.size()) {
    simulation_.steps.resize(wanted.size());
    assumptions_.started.resize(wanted.size());
  }

  Simulation run() {
    begin();
    for (;;) {
      while (const std::optional<StartedStep> next = ready_.next()) start(*next);
      if (ends_.empty()) break;
      // One at a time, as the executor handles them: it starts others before it looks at the next.
      const auto [end, order, i] = ends_.top();
      ends_.pop();
      now_ = end;
      ready_.release({i, simulation_.steps[i].cores});
      finish(i);
    }
    simulation_.makespan = now_;
    return std::move(simulation_);
  }

 private:
  void begin() {
    for (size_t i = 0; i < open_needs_.size(); ++i) {
      open_needs_[i] =
          static_cast<size_t>(std::ranges::count_if(graph_.needs[i], [this](size_t need) {
            return assumptions_.started[need].phase != SimulatedPhase::ended;
          }));
    }
    for (size_t i = 0; i < open_needs_.size(); ++i) {
      const SimulatedStart& started = assumptions_.started[i];
      if (started.phase == SimulatedPhase::running) {
        ready_.take({i, started.cores});
        start({i, started.cores});
      } else if (started.phase == SimulatedPhase::waiting && open_needs_[i] == 0) {
        ready_.add(i);
      }
    }
  }

  void start(const StartedStep& next) {
    const milliseconds end = now_ + assumptions_.lasts[next.step];
    simulation_.steps[next.step] = {now_, end, next.cores};
    ends_.emplace(end, started_++, next.step);
  }

  void finish(size_t i) {
    for (const size_t next : graph_.dependents[i]) {
      const bool waits = assumptions_.started[next].phase == SimulatedPhase::waiting;
      if (--open_needs_[next] == 0 && waits) ready_.add(next);
    }
  }

  /// When a step ends, how many started before it, and the step.
  using End = std::tuple<milliseconds, size_t, size_t>;

  const Graph& graph_;
  Assumptions assumptions_;
  ReadySteps ready_;
  std::vector<size_t> open_needs_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  size_t started_ = 0;
  milliseconds now_{0};
  Simulation simulation_;
};

milliseconds predicted_time(double seconds) {
  return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(std::max(seconds, 0.0)));
}

}  // namespace

Simulation simulate(const plan::Plan& plan, const Graph& graph, Assumptions assumptions) {
  return simulate(wanted_resources(plan), graph, std::move(assumptions));
}

Simulation simulate(const WantedResources& wanted, const Graph& graph, Assumptions assumptions) {
  if (!graph.unknown_needs.empty()) return {};
  return SimulatedRun(wanted, graph, std::move(assumptions)).run();
}

LongestChain longest_chain(const Graph& graph, const std::vector<milliseconds>& lasts) {
  const size_t count = lasts.size();
  std::vector<milliseconds> remaining(count);
  std::vector<size_t> follower(count, count);
  size_t first = count;
  for (size_t i = count; i-- > 0;) {
    for (const size_t next : graph.dependents[i]) {
      if (follower[i] == count || remaining[next] > remaining[follower[i]]) follower[i] = next;
    }
    remaining[i] = lasts[i] + (follower[i] == count ? milliseconds(0) : remaining[follower[i]]);
    if (first == count || remaining[i] >= remaining[first]) first = i;
  }
  LongestChain path;
  if (first == count) return path;
  path.length = remaining[first];
  for (size_t i = first; i != count; i = follower[i]) {
    if (lasts[i].count() > 0) path.steps.push_back(i);
  }
  return path;
}

LeastTime least_time(const Graph& graph, const std::vector<milliseconds>& lasts, int slots) {
  LeastTime least{longest_chain(graph, lasts)};
  least.work = std::accumulate(lasts.begin(), lasts.end(), milliseconds(0));
  const int64_t whole = std::max(slots, 1);
  least.share = milliseconds((least.work.count() + whole - 1) / whole);
  least.bound = std::max(least.path.length, least.share);
  return least;
}

std::vector<milliseconds> predicted_times(const plan::Plan& plan) {
  std::vector<milliseconds> times;
  times.reserve(plan.steps.size());
  for (const plan::Step& step : plan.steps) times.push_back(predicted_time(step.predicted_seconds));
  return times;
}

std::vector<milliseconds> predicted_times(const std::vector<plan::TimedStep>& steps) {
  std::vector<milliseconds> times;
  times.reserve(steps.size());
  for (const plan::TimedStep& step : steps) times.push_back(predicted_time(step.predicted_seconds));
  return times;
}

std::vector<milliseconds> remaining_times(const plan::Plan& plan,
                                          const std::map<std::string, plan::StepOutcome>& reused) {
  std::vector<milliseconds> times = predicted_times(plan);
  for (size_t i = 0; i < times.size(); ++i) {
    if (reused.contains(plan.steps[i].id)) times[i] = milliseconds(0);
  }
  return times;
}

Budget slots_budget(const plan::Plan& plan, int slots) {
  return slots_budget(wanted_resources(plan), slots);
}

Budget slots_budget(const WantedResources& wanted, int slots) {
  Budget budget;
  budget.cores = slots;
  budget.cores_per_step = 1;
  for (const plan::Resources* const each : wanted) {
    for (const auto& [name, count] : each->pools) budget.pools[name] += count;
  }
  return budget;
}

}  // namespace pinwheel::run
