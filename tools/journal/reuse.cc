#include "journal/reuse.h"

#include <algorithm>
#include <set>
#include <utility>

namespace pinwheel::journal {

std::map<std::string, plan::StepOutcome> candidates(const plan::Plan& plan,
                                                    const History& history) {
  std::map<std::string, plan::StepOutcome> out;
  for (const plan::Step& step : plan.steps) {
    const auto found = history.finished.find({step.id, step.key});
    if (found == history.finished.end()) continue;
    if (found->second.state == plan::StepState::done) out.emplace(step.id, found->second);
  }
  return out;
}

std::vector<std::string> outputs_to_check(
    const std::map<std::string, plan::StepOutcome>& candidates) {
  std::set<std::string> paths;
  for (const auto& [id, outcome] : candidates) {
    for (const plan::Output& output : outcome.outputs) paths.insert(output.path);
  }
  return {paths.begin(), paths.end()};
}

std::map<std::string, plan::StepOutcome> reusable(
    std::map<std::string, plan::StepOutcome> candidates,
    const std::map<std::string, std::string>& digests) {
  std::erase_if(candidates, [&](const auto& entry) {
    return !std::all_of(entry.second.outputs.begin(), entry.second.outputs.end(),
                        [&](const plan::Output& output) {
                          const auto found = digests.find(output.path);
                          return found != digests.end() && found->second == output.sha256;
                        });
  });
  return candidates;
}

}  // namespace pinwheel::journal
