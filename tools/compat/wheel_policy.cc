#include "compat/wheel_policy.h"

#include <algorithm>

#include "base/text.h"
#include "compat/gate.h"
#include "inspect/rules.h"
#include "matrix/axis_value.h"

namespace pinwheel::compat {

const matrix::Check* find_check(const std::vector<matrix::Check>& checks, std::string_view rule) {
  const auto found = std::find_if(checks.begin(), checks.end(), [rule](const matrix::Check& check) {
    return check.rule == rule;
  });
  return found == checks.end() ? nullptr : &*found;
}

namespace {

/// Whether the rule can be judged: device code and size require the numbers of the matrix.
bool can_judge(const std::string& rule, const matrix::Settings& settings) {
  if (find_check(settings.checks.after, rule) != nullptr) return true;
  if (rule == "device-code") return !settings.build.arch_list.empty();
  return rule != "size";
}

std::vector<std::string> rules_for(const matrix::Settings& settings) {
  const std::vector<std::string>& accepted = settings.checks.accept;
  std::vector<std::string> rules = inspect::rule_ids();
  std::erase_if(rules, [&](const std::string& rule) {
    return !can_judge(rule, settings) ||
           std::find(accepted.begin(), accepted.end(), rule) != accepted.end();
  });
  return rules;
}

std::vector<std::string> named_rules(const std::vector<matrix::Check>& checks) {
  std::vector<std::string> names;
  names.reserve(checks.size());
  for (const matrix::Check& check : checks) names.push_back(check.rule);
  return names;
}

}  // namespace

Result<WheelPolicy> wheel_policy(const matrix::Settings& settings, std::string_view compute) {
  const std::vector<matrix::Check>& checks = settings.checks.after;
  WheelPolicy policy;
  policy.rules = rules_for(settings);
  policy.strict = named_rules(checks);
  const std::string family = matrix::split_compute(compute).family;
  const bool readable = family.empty() || family == "cpu" || family == "cuda" || family == "rocm";
  if (readable) policy.expected.arch_list = settings.build.arch_list;
  policy.expected.external = settings.build.external;
  const matrix::Check* const size = find_check(checks, "size");
  if (size == nullptr) return policy;
  const auto limit = size->arguments.empty() ? std::nullopt : parse_bytes(size->arguments[0]);
  if (!limit) return fail(ErrorKind::config, "`checks.after: size` names no size");
  policy.expected.size_limit = *limit;
  return policy;
}

std::optional<pep::SpecifierSet> declared_torch(const matrix::Abi& abi, const std::string& torch) {
  if (abi.torch == matrix::TorchAbi::none || torch.empty()) return std::nullopt;
  const bool stable = abi.torch == matrix::TorchAbi::stable;
  return declared_range(stable ? abi.torch_stable : torch, stable ? PinBy::release : PinBy::minor);
}

}  // namespace pinwheel::compat
