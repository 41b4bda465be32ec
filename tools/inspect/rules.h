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

/// A rule that a wheel keeps or breaks. Its id is a name in `checks: after:` of a matrix too.
struct Rule {
  std::string_view id;
  Severity severity = Severity::error;
  std::string_view description;  ///< one line
  std::vector<Finding> (*judge)(const WheelFacts&, const Expectations&);
};

/// Every rule, in the order in which findings are told.
std::span<const Rule> all_rules();
std::vector<std::string> rule_ids();
/// Which rules are asked for: those of `select`, or all when it is empty, but those of `ignore`.
struct RuleChoice {
  std::vector<std::string> select = {};
  std::vector<std::string> ignore = {};
};
/// Their ids; kind `config`, with the nearest id, for an unknown one.
Result<std::vector<std::string>> chosen_rules(const RuleChoice& choice);

/// What the wheel breaks of these rules; unreadable parts are findings of the rule that would have
/// judged them. Kind `config`, with the nearest id, for an unknown rule or
/// an expected architecture that does not exist.
Result<std::vector<Finding>> check(const WheelFacts& facts, const Expectations& expected,
                                   const std::vector<std::string>& rules);
/// Those that make a wheel fail: the errors, and the warnings of rules in `strict`.
std::vector<Finding> failures(const std::vector<Finding>& findings,
                              const std::vector<std::string>& strict = {});

}  // namespace pinwheel::inspect
