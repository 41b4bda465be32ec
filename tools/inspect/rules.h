#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// A rule for wheels. Its id is also the name in `checks: after:` of a matrix.
struct Rule {
  std::string_view id;
  Severity severity = Severity::error;  ///< the highest of its findings
  std::string_view description;         ///< one line
  std::vector<Finding> (*judge)(const WheelFacts&, const Expectations&);
};

/// Every rule, in the order of the findings.
std::span<const Rule> all_rules();
std::vector<std::string> rule_ids();
/// Which rules to check: those in `select`, or all when it is empty, except those in `ignore`.
struct RuleChoice {
  std::vector<std::string> select = {};
  std::vector<std::string> ignore = {};
};
/// The chosen ids; kind `config`, with the nearest id, for an unknown one.
Result<std::vector<std::string>> chosen_rules(const RuleChoice& choice);

/// The violations of these rules; unreadable parts are findings of the rule that would have checked
/// them. Kind `config`, with the nearest id, for an unknown rule or an expected architecture that
/// does not exist.
Result<std::vector<Finding>> check(const WheelFacts& facts, const Expectations& expected,
                                   const std::vector<std::string>& rules);
/// The findings that make a wheel fail: errors, and warnings of rules in `strict`.
std::vector<Finding> failures(const std::vector<Finding>& findings,
                              const std::vector<std::string>& strict = {});

}  // namespace pinwheel::inspect
