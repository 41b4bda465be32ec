#include "run/wall_time.h"

#include <utility>

#include "run/ranks.h"

namespace pinwheel::run {

namespace {

/// `assumed` has no ranks yet.
PredictedRun simulated(const WantedResources& wanted, const Graph& graph, Assumptions assumed) {
  assumed.ranks = scheduling_ranks(wanted, graph, assumed.budget, assumed.lasts);
  const int cores = assumed.budget.cores;
  PredictedRun run{{}, least_time(graph, assumed.lasts, cores), cores};
  run.makespan = simulate(wanted, graph, std::move(assumed)).makespan;
  return run;
}

}  // namespace

PredictedRun predict_run(const plan::Plan& plan, const Budget& budget,
                         const plan::Results& results) {
  const Graph graph = make_graph(plan);
  Assumptions assumed{budget, predicted_times(plan)};
  assumed.started.resize(plan.steps.size());
  for (const auto& [id, outcome] : plan::reuse(plan, results)) {
    const size_t step = graph.position.at(id);
    assumed.started[step].phase = SimulatedPhase::ended;
    assumed.lasts[step] = std::chrono::milliseconds(0);
  }
  return simulated(wanted_resources(plan), graph, std::move(assumed));
}

PredictedRun predict_run(const std::vector<plan::TimedStep>& steps, const Budget& budget) {
  return simulated(wanted_resources(steps), graph_of(steps), {budget, predicted_times(steps)});
}

}  // namespace pinwheel::run
