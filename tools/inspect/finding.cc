#include "inspect/finding.h"

#include <algorithm>
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

std::vector<FindingGroup> group_findings(const std::vector<Finding>& findings) {
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && !name.empty()) names.push_back(name);
  };
  std::vector<FindingGroup> groups;
  for (const Finding& finding : findings) {
    auto group = std::find_if(groups.begin(), groups.end(), [&](const FindingGroup& each) {
      return each.first->rule == finding.rule && each.first->severity == finding.severity &&
             each.first->message == finding.message && each.first->hint == finding.hint;
    });
    if (group == groups.end()) group = groups.insert(group, FindingGroup{&finding});
    add(group->files, finding.file);
    add(group->evidence, finding.evidence);
  }
  return groups;
}

std::vector<std::string> to_lines(const std::vector<Finding>& findings) {
  std::vector<std::string> lines;
  for (const FindingGroup& group : group_findings(findings)) {
    std::string& line = lines.emplace_back("[" + group.first->rule + "] " +
                                           quoted_list(group.files) + ": " + group.first->message);
    if (!group.evidence.empty()) line += " (" + join(group.evidence, "; ") + ")";
    if (!group.first->hint.empty()) line += "; " + group.first->hint;
  }
  return lines;
}

}  // namespace pinwheel::inspect
