#include "run/reuse.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pinwheel::run {

plan::Results results_of(const plan::Plan& plan, const History& history) {
  plan::Results results;
  for (const plan::Step& step : plan.steps) {
    for (auto at = history.finished.lower_bound({step.id, {}});
         at != history.finished.end() && at->first.first == step.id; ++at) {
      if (at->second.state == plan::StepState::done) results.insert(*at);
    }
  }
  return results;
}

std::vector<std::string> outputs_to_check(const plan::Plan& plan, const plan::Results& results) {
  std::set<std::string> paths;
  for (const auto& [id, outcome] : plan::reuse(plan, results)) {
    for (const plan::Output& output : outcome.outputs) paths.insert(output.path);
  }
  return {paths.begin(), paths.end()};
}

plan::Results still_valid(plan::Results results,
                          const std::map<std::string, std::string>& digests) {
  std::erase_if(results, [&](const auto& entry) {
    return !std::all_of(entry.second.outputs.begin(), entry.second.outputs.end(),
                        [&](const plan::Output& output) {
                          const auto found = digests.find(output.path);
                          return found != digests.end() && found->second == output.sha256;
                        });
  });
  return results;
}

}  // namespace pinwheel::run
