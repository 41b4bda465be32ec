#include "plan/subplan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

bool is_one_of_few(const std::string& step) {
  return makes_files(step) || compiles_device_code(step) || kind_of_step(step) == StepKind::test;
}

/// The first selected variant that adds a build to an outline: one that it serves, or one of
/// another package that needs its wheel.
std::string variant_of_build(const Outline& outline, const std::string& step) {
  std::string needs_it;
  for (const BuildGroup& group : outline.builds) {
    if (step == build_id(group.cls.id) && !group.tests.empty()) return group.tests.front();
    for (const std::string& test : group.tests) {
      const std::vector<std::string> siblings = sibling_builds(group.cls, test);
      const bool needs = std::ranges::find(siblings, step) != siblings.end();
      if (needs && needs_it.empty()) needs_it = test;
    }
  }
  return needs_it;
}

/// The same for the first build of the sdist's package, whose environment makes the sdist.
std::string variant_of_sdist(const Outline& outline, const std::string& step) {
  const std::string package = parse_step_id(step).value_or(StepId{}).name;
  const BuildGroup* const build = sdist_build(outline, package);
  return build == nullptr ? std::string() : variant_of_build(outline, build_id(build->cls.id));
}

/// A variant whose outline contains the step.
std::string variant_for(const Outline& outline, const std::string& step) {
  if (compiles_device_code(step)) return variant_of_build(outline, build_of_device_code(step));
  if (kind_of_step(step) == StepKind::test) return variant_of(step);
  return is_sdist(step) ? variant_of_sdist(outline, step) : variant_of_build(outline, step);
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

Plan builds_of_device_code(const Plan& plan, const std::vector<std::string>& steps) {
  Plan part;
  if (steps.empty() || !std::ranges::all_of(steps, compiles_device_code)) return part;
  std::set<std::string> needed;
  for (const std::string& step : steps) needed.insert(build_of_device_code(step));
  part.digest = plan.digest;
  for (auto step = plan.steps.rbegin(); step != plan.steps.rend(); ++step) {
    if (!needed.contains(step->id) || compiles_device_code(step->id)) continue;
    needed.insert(step->needs.begin(), step->needs.end());
    part.steps.push_back(*step);
    std::erase_if(part.steps.back().needs, compiles_device_code);
  }
  std::ranges::reverse(part.steps);
  return part;
}

std::vector<matrix::Variant> variants_of_steps(const Outline& outline,
                                               const std::vector<std::string>& steps) {
  if (!std::all_of(steps.begin(), steps.end(), is_one_of_few)) return outline.variants;
  std::set<std::string> ids;
  for (const std::string& step : steps) ids.insert(variant_for(outline, step));
  std::vector<matrix::Variant> needed;
  for (const matrix::Variant& variant : outline.variants) {
    if (ids.contains(variant.id)) needed.push_back(variant);
  }
  return needed;
}

}  // namespace pinwheel::plan
