#include "run/wall_time.h"

#include <utility>

#include "run/ranks.h"

namespace pinwheel::run {

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
  assumed.ranks = scheduling_ranks(plan, graph, budget, assumed.lasts);
  PredictedRun run{{}, least_time(graph, assumed.lasts, budget.cores), budget.cores};
  run.makespan = simulate(plan, graph, std::move(assumed)).makespan;
  return run;
}

}  // namespace pinwheel::run
