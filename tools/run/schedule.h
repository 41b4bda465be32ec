#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plan/step.h"
#include "run/budget.h"

namespace pinwheel::run {

/// A list of steps for each step of a plan, as indexes into `plan.steps`. All of them are in two
/// blocks, because a plan may have a hundred thousand steps.
class StepLists {
 public:
  size_t size() const { return ends_.size(); }
  std::span<const size_t> operator[](size_t step) const {
    const size_t begin = step == 0 ? 0 : ends_[step - 1];
    return std::span(all_).subspan(begin, ends_[step] - begin);
  }

  void reserve(size_t count) { ends_.reserve(count); }
  /// Adds the list of the next step.
  void add(std::span<const size_t> list);
  /// For each step, those whose lists contain it, in plan order.
  StepLists inverted() const;

 private:
  std::vector<size_t> all_;
  std::vector<size_t> ends_;
};

/// A plan's edges.
struct Graph {
  StepLists needs;
  StepLists dependents;
  std::unordered_map<std::string, size_t> position;  ///< of each step, by its id
  /// Needs that are not earlier steps of the plan; empty for a valid plan.
  std::vector<std::string> unknown_needs;
};

Graph make_graph(const plan::Plan& plan);
/// The same without `position`.
Graph graph_of(const std::vector<plan::TimedStep>& steps);

/// The resources of each step, in plan order. The steps must outlive them.
using WantedResources = std::vector<const plan::Resources*>;

WantedResources wanted_resources(const plan::Plan& plan);
WantedResources wanted_resources(const std::vector<plan::TimedStep>& steps);

/// For each step, the time from its start to the end of everything that depends on it, if each step
/// takes as long as `lasts` states.
std::vector<double> remaining_paths(const Graph& graph, const std::vector<double>& lasts);

/// The predicted durations of the steps.
std::vector<double> predicted_seconds(const plan::Plan& plan);

/// A step that starts, with its cores.
struct StartedStep {
  size_t step = 0;
  int cores = 1;
};

/// The steps that may start, and the policy: of those whose resources are free, the one with the
/// highest rank starts next (with equal ranks, the first of the plan). The executor and the
/// simulation (run/simulate.h) both use it, so that they cannot differ. Steps with equal resources
/// wait in one queue, so a decision takes as long as there are different resources.
class ReadySteps {
 public:
  /// `ranks`: in plan order. The plan must outlive this.
  ReadySteps(const plan::Plan& plan, std::vector<double> ranks, Budget budget);
  ReadySteps(WantedResources wanted, std::vector<double> ranks, Budget budget);

  /// A step may start, with at most so many cores.
  void add(size_t step, int cores_limit = std::numeric_limits<int>::max());
  /// A step no longer waits. Nothing happens if it does not wait.
  void remove(size_t step);
  /// Takes the next step and its resources; nullopt if none of those that wait can start.
  std::optional<StartedStep> next();
  /// Reserves the resources of a step that runs already.
  void take(const StartedStep& running);
  /// The step has ended, or does not start after all.
  void release(const StartedStep& ended);
  /// The resources that waiting steps lack after `next` returned nullopt, if the steps did not
  /// already lack them at the previous call.
  std::vector<std::pair<size_t, Shortage>> new_shortages();
  /// The memory that a step with these cores reserves; 0: none.
  uint64_t memory_of(const StartedStep& running) const;

 private:
  /// Highest rank first, then plan order.
  using Place = std::pair<double, size_t>;
  using Need = std::tuple<int, int, uint64_t, std::map<std::string, int>, int>;
  /// Steps with the same resources.
  struct Queue {
    const plan::Resources* wanted = nullptr;
    int cores_limit = 0;
    std::set<Place> steps = {};
    /// Why none of them can start; nullopt: not asked since resources became free.
    std::optional<Shortage> shortage = {};
    std::optional<Shortage> reported = {};  ///< by `new_shortages`, for all but the `added` steps
    std::vector<Place> added = {};
  };

  Queue& queue_of(size_t step, int cores_limit);
  /// The queue whose first step comes next among those that may have enough; null if there is none.
  Queue* first_queue();

  const WantedResources wanted_;
  const std::vector<double> ranks_;
  Ledger ledger_;
  std::vector<Queue> queues_;
  std::map<Need, size_t> queue_by_need_;
  std::vector<std::optional<size_t>> waits_in_;  ///< by step: its queue
};

}  // namespace pinwheel::run
