#pragma once
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "plan/step.h"
#include "run/budget.h"
#include "run/schedule.h"

namespace pinwheel::run {

/// The state of a step when a simulation begins.
enum class SimulatedPhase { waiting, running, ended };

struct SimulatedStart {
  SimulatedPhase phase = SimulatedPhase::waiting;
  int cores = 1;  ///< while running
};

/// What a simulation assumes.
struct Assumptions {
  Budget budget = {};
  /// How long each step takes from the beginning of the simulation on, in plan order.
  std::vector<std::chrono::milliseconds> lasts = {};
  std::vector<double> ranks = {};            ///< see `ReadySteps`
  std::vector<SimulatedStart> started = {};  ///< in plan order; empty: nothing has started
};

/// The times of a step, from the beginning of the simulation. Both are 0 for a step that had ended.
struct SimulatedStep {
  std::chrono::milliseconds start{0};
  std::chrono::milliseconds end{0};
  int cores = 0;

  bool operator==(const SimulatedStep&) const = default;
};

struct Simulation {
  std::chrono::milliseconds makespan{0};
  std::vector<SimulatedStep> steps = {};  ///< in plan order
};

/// What `execute` does with this plan if every attempt succeeds after the assumed time. Pure, with
/// the executor's own policy (run/schedule.h): 10,000 steps take some 30 ms. `graph` is that of the
/// plan. Steps with unknown needs never start.
Simulation simulate(const plan::Plan& plan, const Graph& graph, Assumptions assumptions);
Simulation simulate(const WantedResources& wanted, const Graph& graph, Assumptions assumptions);

/// The longest chain of dependent steps.
struct LongestChain {
  std::vector<size_t> steps = {};  ///< indexes, first to last; without steps that take no time
  std::chrono::milliseconds length{0};
};
LongestChain longest_chain(const Graph& graph, const std::vector<std::chrono::milliseconds>& lasts);

/// The times that no schedule can beat.
struct LeastTime {
  LongestChain path = {};
  std::chrono::milliseconds work{0};   ///< the sum of all steps
  std::chrono::milliseconds share{0};  ///< of one slot: the work divided by the slots
  std::chrono::milliseconds bound{0};  ///< the longer of the path and the share
};

/// The bound on the makespan with `slots` steps at a time.
LeastTime least_time(const Graph& graph, const std::vector<std::chrono::milliseconds>& lasts,
                     int slots);

/// The predicted durations of the steps, in whole milliseconds, rounded up.
std::vector<std::chrono::milliseconds> predicted_times(const plan::Plan& plan);
std::vector<std::chrono::milliseconds> predicted_times(const std::vector<plan::TimedStep>& steps);
/// The same, and none for the steps that are reused.
std::vector<std::chrono::milliseconds> remaining_times(
    const plan::Plan& plan, const std::map<std::string, plan::StepOutcome>& reused);

/// The budget of `slots` runners that each take one step at a time, whatever its resources. Pools
/// belong to machines, so that they limit nothing here.
Budget slots_budget(const plan::Plan& plan, int slots);
Budget slots_budget(const WantedResources& wanted, int slots);

}  // namespace pinwheel::run
