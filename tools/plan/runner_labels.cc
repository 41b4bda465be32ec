#include "plan/runner_labels.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kHosted = "ubuntu-24.04";
constexpr const char* kHostedArm = "ubuntu-24.04-arm";

/// Whether `COMPUTE`, `@ARCH` or `COMPUTE@ARCH` matches the variant.
bool places(const std::string& pattern, const matrix::Variant& variant) {
  const size_t at = pattern.find('@');
  const std::string compute = pattern.substr(0, at);
  if (!compute.empty() && !glob_match(compute, variant.get("compute"))) return false;
  return at == std::string::npos || glob_match(pattern.substr(at + 1), variant.get("arch"));
}

const matrix::RunnerRule* rule_for(const std::vector<matrix::RunnerRule>& rules,
                                   const matrix::Variant& variant) {
  const auto found = std::ranges::find_if(rules, [&](const matrix::RunnerRule& rule) {
    return rule.pattern != "default" && places(rule.pattern, variant);
  });
  return found == rules.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::vector<std::string>> runner_labels(const matrix::CiSettings& ci, RunnerUse use,
                                                      const matrix::Variant& variant,
                                                      NeedsGpu gpu) {
  if (const std::string& own = variant.get("runner"); !own.empty()) return {{own}};
  const auto& rules = use == RunnerUse::build ? ci.build_runners : ci.test_runners;
  if (const matrix::RunnerRule* const rule = rule_for(rules, variant)) return rule->labels;
  if (gpu == NeedsGpu::yes) return std::nullopt;
  const bool arm = variant.get("arch") == "aarch64";
  const auto fallback = std::ranges::find(rules, "default", &matrix::RunnerRule::pattern);
  // The default of a matrix is a machine of the architecture that most variants have.
  if (fallback != rules.end() && !arm) return fallback->labels;
  return {{arm ? kHostedArm : kHosted}};
}

}  // namespace pinwheel::plan
