#include "report/index_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/fit_text.h"
#include "base/text.h"
#include "base/visible_text.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

using OrderedJson = nlohmann::ordered_json;
using publish::AuditFinding;
using publish::AuditSeverity;

/// Files of one page with the same finding.
struct FindingGroup {
  const AuditFinding* first = nullptr;
  std::vector<std::string> files = {};
};

std::vector<FindingGroup> groups_of(const std::vector<AuditFinding>& findings) {
  const auto key = [](const AuditFinding& each) {
    return std::tie(each.rule, each.page, each.message, each.hint, each.severity);
  };
  std::vector<FindingGroup> groups;
  std::map<decltype(key(findings.front())), size_t> places;
  for (const AuditFinding& finding : findings) {
    const auto [place, is_new] = places.try_emplace(key(finding), groups.size());
    if (is_new) groups.push_back({&finding});
    if (!finding.file.empty()) groups[place->second].files.push_back(finding.file);
  }
  return groups;
}

std::string subject_of(const FindingGroup& group) {
  constexpr size_t kMost = 5;
  std::string subject = group.first->page.empty() ? "the index" : quoted(group.first->page);
  if (group.files.empty()) return subject;
  const size_t shown = std::min(group.files.size(), kMost);
  subject = quoted_list({group.files.begin(), group.files.begin() + static_cast<long>(shown)});
  if (group.files.size() > shown) {
    subject += fmt::format(" and {} more", group.files.size() - shown);
  }
  return fmt::format("{} of {}", subject, quoted(group.first->page));
}

std::string choice_text(const publish::Choice& choice) {
  if (choice.filename.empty()) return "nothing: " + choice.reason;
  return choice.filename + (choice.reason.empty() ? "" : " (" + choice.reason + ")");
}

std::string choices_text(const IndexReport& report, size_t width) {
  if (report.choices.empty()) return {};
  std::vector<std::vector<std::string>> rows = {{"machine", "project", "installer", "installs"}};
  for (const publish::MachineChoice& each : report.choices) {
    const bool same = each.pip == each.uv;
    rows.push_back({each.machine, each.page, same ? "pip, uv" : "pip", choice_text(each.pip)});
    if (!same) rows.push_back({each.machine, each.page, "uv", choice_text(each.uv)});
  }
  return align_columns(rows, width) + "\n";
}

OrderedJson text_or_null(const std::string& text) {
  return text.empty() ? OrderedJson() : OrderedJson(text);
}

OrderedJson choice_json(const publish::Choice& choice) {
  return {{"file", text_or_null(choice.filename)}, {"reason", text_or_null(choice.reason)}};
}

}  // namespace

std::string index_text(const IndexReport& report, size_t width) {
  std::string lines;
  size_t errors = 0;
  for (const AuditFinding& each : report.findings) {
    if (each.severity == AuditSeverity::error) ++errors;
  }
  for (const FindingGroup& group : groups_of(report.findings)) {
    const AuditFinding& finding = *group.first;
    lines += fmt::format("{}: [{}] {}: {}\n", to_string(finding.severity), finding.rule,
                         subject_of(group), visible(finding.message));
    if (!finding.hint.empty()) lines += fmt::format("  hint: {}\n", visible(finding.hint));
  }
  std::string hashes;
  if (report.hashed > 0) {
    hashes = fmt::format(", {} hashed ({})", report.hashed, format_bytes(report.bytes));
  }
  if (report.verified > 0) {
    hashes += fmt::format(", {} verified before", report.verified);
  }
  lines += fmt::format("{}: {}, {}{}; {}, {}\n", visible(report.index),
                       plural(report.pages, "page"), plural(report.files, "file"), hashes,
                       plural(errors, "error"), plural(report.findings.size() - errors, "warning"));
  return choices_text(report, width) + fit_lines(lines, width);
}

std::string index_json(const IndexReport& report) {
  OrderedJson findings = OrderedJson::array();
  for (const AuditFinding& each : report.findings) {
    findings.push_back({{"rule", each.rule},
                        {"severity", to_string(each.severity)},
                        {"page", each.page},
                        {"file", text_or_null(each.file)},
                        {"message", each.message},
                        {"hint", text_or_null(each.hint)}});
  }
  OrderedJson choices = OrderedJson::array();
  for (const publish::MachineChoice& each : report.choices) {
    choices.push_back({{"page", each.page},
                       {"machine", each.machine},
                       {"pip", choice_json(each.pip)},
                       {"uv", choice_json(each.uv)}});
  }
  const OrderedJson document = {{"schema", "pinwheel-index-check/1"},
                                {"index", report.index},
                                {"pages", report.pages},
                                {"files", report.files},
                                {"hashed", report.hashed},
                                {"verified", report.verified},
                                {"bytes", report.bytes},
                                {"findings", std::move(findings)},
                                {"choices", std::move(choices)}};
  return document.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace pinwheel::report
