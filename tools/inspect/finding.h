#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pinwheel::inspect {

/// The severity of a violation: the wheel fails somewhere, or is only worse than necessary.
enum class Severity { error, warning };
/// "error", "warning".
std::string_view to_string(Severity severity);

/// A violation of a rule.
struct Finding {
  std::string rule;           ///< id, "platform-tag"
  std::string file;           ///< the member it concerns, or the wheel itself
  std::string message;        ///< what is wrong, with names in back-ticks
  std::string evidence = {};  ///< what was found; empty when the message is complete
  std::string hint = {};      ///< how to fix it; empty when unknown
  Severity severity = Severity::error;

  bool operator==(const Finding&) const = default;
};

/// The finding for a file that the rule would have checked but that could not be read.
Finding unreadable(std::string rule, const std::string& file, const Error& error);

/// An error of kind `check`: "[platform-tag] `demo/_C.so`: needs GLIBC_2.34 (libc.so.6)".
Error to_error(const Finding& finding);

/// Findings with the same rule, severity, message and hint.
struct FindingGroup {
  const Finding* first = nullptr;
  std::vector<std::string> files = {};     ///< each once
  std::vector<std::string> evidence = {};  ///< each once
};
/// The groups of findings, which must outlive them, in the order of the first of each.
std::vector<FindingGroup> group_findings(const std::vector<Finding>& findings);

/// One line for each rule and message, with every file that has it: "[debug-info] `a.so`, `b.so`:
/// has debug information; strip it". In the order of the findings.
std::vector<std::string> to_lines(const std::vector<Finding>& findings);

}  // namespace pinwheel::inspect
