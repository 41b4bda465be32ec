#include "plan/publish_step.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "matrix/condition.h"
#include "plan/step_id.h"

namespace pinwheel::plan {
namespace {

/// The minimum evidence that `publish.require` sets for a variant: by the first pattern that
/// matches, then `default`.
std::string required_evidence(const matrix::Matrix& matrix, const matrix::Variant& variant) {
  std::string evidence;
  for (const auto& [pattern, value] : matrix.require_evidence) {
    if (pattern == "default") {
      evidence = value;
    } else if (matrix::value_matches(pattern, variant.get("compute"))) {
      return value;
    }
  }
  return evidence;
}

/// The name of a build's wheel on a target.
wheel::Naming name_for(const std::string& target, const std::vector<wheel::Naming>& namings) {
  for (const wheel::Naming& naming : namings) {
    const bool takes =
        std::find(naming.targets.begin(), naming.targets.end(), target) != naming.targets.end();
    if (takes) return naming;
  }
  return {};
}

/// Whether a build serves selected variants, and all of them are experimental.
bool is_experimental(const Outline& outline, const BuildGroup& group) {
  const auto serves = [&group](const matrix::Variant& variant) {
    return std::find(group.tests.begin(), group.tests.end(), variant.id) != group.tests.end();
  };
  const auto& variants = outline.variants;
  return std::any_of(variants.begin(), variants.end(), serves) &&
         std::none_of(variants.begin(), variants.end(), [&](const matrix::Variant& variant) {
           return serves(variant) && variant.status != matrix::Status::experimental;
         });
}

void require_image_tests(const StepInputs& in, const std::string& variant,
                         const std::string& evidence, Publish& action, Step& step) {
  for (const ImageTest& test : in.image_tests) {
    if (test.variant != variant) continue;
    step.needs.push_back(test.id);
    const bool asked = verdict_on(test, in.facts, in.options).gate == ImageTestVerdict::Gate::holds;
    if (asked && !evidence.empty()) action.require_evidence[test.id] = evidence;
  }
}

}  // namespace

Result<Step> publish_step(const StepInputs& in, const std::string& target, const Outline& outline,
                          const Namings& namings) {
  const auto found =
      std::find_if(in.matrix.targets.begin(), in.matrix.targets.end(),
                   [&target](const matrix::PublishTarget& each) { return each.name == target; });
  if (found == in.matrix.targets.end()) {
    return fail(ErrorKind::usage,
                fmt::format("{} has no publish target {}", quoted(in.matrix.file), quoted(target)));
  }
  Publish action;
  action.target = *found;
  Step step{publish_id(target), {}, {}};
  for (const BuildGroup& group : outline.builds) {
    const std::string build = build_id(group.cls.id);
    if (is_experimental(outline, group)) {
      action.withheld.push_back(build);
      continue;
    }
    action.builds.push_back(build);
    action.names[build] = name_for(target, namings.at(group.cls.id));
    step.needs.push_back(build);
    TRY(const matrix::Variant* const variant, in.variants.find(group.cls.representative));
    action.labels[build] = label_of(in.matrix, *variant);
    for (const std::string& test : group.tests) {
      TRY(const matrix::Variant* const tested, in.variants.find(test));
      const std::string evidence = required_evidence(in.matrix, *tested);
      if (!evidence.empty()) action.require_evidence[test_id(test)] = evidence;
      step.needs.push_back(test_id(test));
      require_image_tests(in, test, evidence, action, step);
      if (action.default_build.empty() &&
          matrix::value_matches(found->default_compute, tested->get("compute"))) {
        action.default_build = build;
      }
    }
  }
  if (action.builds.empty()) {
    return fail(ErrorKind::check,
                fmt::format("nothing to publish to {}: everything selected is experimental, which "
                            "is never published",
                            quoted(target)),
                "select supported variants as well");
  }
  if (action.default_build.empty()) action.default_build = action.builds[0];
  if (in.matrix.package.sdist) {
    action.builds.push_back(sdist_id());
    step.needs.push_back(sdist_id());
  }
  step.action = action;
  step.resources.pools["upload"] = 1;
  return step;
}

}  // namespace pinwheel::plan
