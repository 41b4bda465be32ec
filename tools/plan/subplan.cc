#include "plan/subplan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

bool is_one_of_few(const std::string& step) {
  return makes_files(step) || kind_of_step(step) == StepKind::test;
}

/// Adds the variants of a step: any variant of a build adds its build to an outline.
void add_builders(const Outline& outline, const std::string& step, std::set<std::string>& ids) {
  for (const BuildGroup& group : outline.builds) {
    if (group.tests.empty()) continue;
    if (step == build_id(group.cls.id)) ids.insert(group.tests.front());
    if (step == sdist_id()) {
      ids.insert(group.tests.front());
      return;
    }
  }
}

}  // namespace

Result<Plan> subplan(const Plan& plan, const std::vector<std::string>& steps) {
  std::vector<std::string> ids;
  for (const Step& step : plan.steps) ids.push_back(step.id);
  for (const std::string& wanted : steps) {
    if (std::find(ids.begin(), ids.end(), wanted) != ids.end()) continue;
    return fail(ErrorKind::usage, fmt::format("the plan has no step {}", quoted(wanted)),
                suggest(wanted, ids));
  }
  std::set<std::string> needed(steps.begin(), steps.end());
  Plan part;
  part.digest = plan.digest;
  // Needs come first, so going backwards every needed step is marked before it is visited.
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    if (!needed.contains(step->id)) continue;
    needed.insert(step->needs.begin(), step->needs.end());
    part.steps.push_back(*step);
  }
  std::reverse(part.steps.begin(), part.steps.end());
  return part;
}

std::vector<matrix::Variant> variants_of_steps(const Outline& outline,
                                               const std::vector<std::string>& steps) {
  if (!std::all_of(steps.begin(), steps.end(), is_one_of_few)) return outline.variants;
  std::set<std::string> ids;
  for (const std::string& step : steps) {
    if (kind_of_step(step) == StepKind::test) ids.insert(variant_of(step));
    add_builders(outline, step, ids);
  }
  std::vector<matrix::Variant> needed;
  for (const matrix::Variant& variant : outline.variants) {
    if (ids.contains(variant.id)) needed.push_back(variant);
  }
  return needed;
}

}  // namespace pinwheel::plan
