#include "plan/runner_labels.h"

#include <algorithm>

#include "matrix/compute_pattern.h"

namespace pinwheel::plan {
namespace {

constexpr const char* kHosted = "ubuntu-24.04";
constexpr const char* kHostedArm = "ubuntu-24.04-arm";

template <typename Rule>
const Rule* rule_for(const std::vector<Rule>& rules, const matrix::Variant& variant) {
  const auto found = std::ranges::find_if(rules, [&](const Rule& rule) {
    return rule.pattern != "default" && matrix::matches_compute(rule.pattern, variant);
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

std::string driver_command(const matrix::CiSettings& ci, const matrix::Variant& variant) {
  if (!runner_labels(ci, RunnerUse::test, variant, NeedsGpu::yes)) return {};
  if (const matrix::DriverRule* const rule = rule_for(ci.drivers, variant)) return rule->command;
  const auto fallback = std::ranges::find(ci.drivers, "default", &matrix::DriverRule::pattern);
  return fallback == ci.drivers.end() ? std::string() : fallback->command;
}

}  // namespace pinwheel::plan
