#include "inspect/finding.h"

#include <utility>

#include "base/text.h"

namespace pinwheel::inspect {

std::string_view to_string(Severity severity) {
  return severity == Severity::warning ? "warning" : "error";
}

Finding unreadable(std::string rule, const std::string& file, const Error& error) {
  return Finding{std::move(rule), file, error.message, "", error.hint};
}

Error to_error(const Finding& finding) {
  std::string message = "[" + finding.rule + "] " + quoted(finding.file) + ": " + finding.message;
  if (!finding.evidence.empty()) message += " (" + finding.evidence + ")";
  return Error{ErrorKind::check, std::move(message), std::nullopt, finding.hint, {}};
}

}  // namespace pinwheel::inspect
