#include "run/outlook.h"

#include <algorithm>
#include <utility>

namespace pinwheel::run {
namespace {

using std::chrono::milliseconds;

milliseconds whole(double seconds) {
  return std::chrono::ceil<milliseconds>(std::chrono::duration<double>(std::max(seconds, 0.0)));
}

/// The time that nine of ten runs of a step do not exceed; its predicted time if that is unknown.
milliseconds longest(const plan::Step& step) {
  return whole(std::max(step.predicted_seconds, step.predicted_p90));
}

milliseconds rest_of(const plan::Step& step, const StepProgress& progress) {
  // Even a step that is about to end comes before its dependents.
  constexpr milliseconds kLeast{1};
  const milliseconds usual = whole(step.predicted_seconds);
  if (progress.phase == SimulatedPhase::waiting) return usual;
  const milliseconds most = progress.elapsed < usual ? usual : longest(step);
  return std::max(most - progress.elapsed, kLeast);
}

}  // namespace

std::optional<Outlook> look_ahead(const plan::Plan& plan, const Graph& graph, const Policy& policy,
                                  const std::vector<StepProgress>& steps) {
  Assumptions assumed{policy.budget};
  bool measured = false;
  for (size_t i = 0; i < steps.size(); ++i) {
    const StepProgress& progress = steps[i];
    const bool ended = progress.phase == SimulatedPhase::ended;
    assumed.started.push_back({progress.phase, progress.cores});
    assumed.lasts.push_back(ended ? milliseconds(0) : rest_of(plan.steps[i], progress));
    measured = measured || (!ended && plan.steps[i].prediction != plan::Prediction::guessed);
  }
  if (!measured) return std::nullopt;
  assumed.ranks = policy.ranks;
  const LongestChain path = longest_chain(graph, assumed.lasts);
  Outlook outlook;
  outlook.path_total = path.steps.size();
  for (const size_t step : path.steps) {
    if (outlook.path.size() == kMostOnPath) break;
    outlook.path.push_back(plan.steps[step].id);
  }
  if (!path.steps.empty()) {
    const size_t first = path.steps.front();
    const bool runs = steps[first].phase == SimulatedPhase::running;
    if (runs && plan.steps[first].prediction != plan::Prediction::guessed) {
      outlook.overdue =
          std::max(steps[first].elapsed - longest(plan.steps[first]), milliseconds(0));
    }
  }
  outlook.left = simulate(plan, graph, std::move(assumed)).makespan;
  return outlook;
}

}  // namespace pinwheel::run
