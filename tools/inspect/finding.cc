#include "inspect/finding.h"

#include "base/text.h"

namespace pinwheel::inspect {

std::string_view to_string(Severity severity) {
  return severity == Severity::warning ? "warning" : "error";
}

Error to_error(const Finding& finding) {
  std::string message = "[" + finding.rule + "] " + quoted(finding.file) + ": " + finding.message;
  if (!finding.evidence.empty()) message += " (" + finding.evidence + ")";
  return Error{ErrorKind::check, std::move(message), std::nullopt, finding.hint, {}};
}

}  // namespace pinwheel::inspect
