#include "plan/reuse.h"

#include "plan/step_id.h"

namespace pinwheel::plan {

KeyParts result_parts(const Step& step, const std::vector<StepOutcome>& needs) {
  std::map<std::string, std::string> products;
  for (const StepOutcome& need : needs) products[need.id] = product_of(need);
  return with_needs(step.parts, products);
}

std::optional<StepOutcome> find_result(const Results& results, const std::string& id,
                                       const KeyParts& parts) {
  if (results.empty()) return std::nullopt;
  const auto found = results.find({id, key_of(parts)});
  if (found == results.end()) return std::nullopt;
  StepOutcome outcome = found->second;
  if (outcome.state != StepState::skipped) outcome.state = StepState::reused;
  outcome.attempts = 0;
  outcome.elapsed = std::chrono::milliseconds(0);
  outcome.installing = std::chrono::milliseconds(0);
  outcome.trace.clear();
  if (outcome.reused_from.empty()) outcome.reused_from = "journal";
  return outcome;
}

std::map<std::string, StepOutcome> reuse(const Plan& plan, const Results& results) {
  std::map<std::string, StepOutcome> reused;
  if (results.empty()) return reused;
  for (const Step& step : plan.steps) {
    std::map<std::string, std::string> products;
    bool complete = true;
    for (const std::string& need : step.needs) {
      if (compiles_device_code(need)) continue;
      const auto found = reused.find(need);
      complete = complete && found != reused.end();
      if (complete) products[need] = product_of(found->second);
    }
    if (!complete) continue;
    if (auto outcome = find_result(results, step.id, with_needs(step.parts, products))) {
      reused.emplace(step.id, *std::move(outcome));
    }
  }
  return reused;
}

}  // namespace pinwheel::plan
