#include "host/index/content_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "inspect/gather.h"
#include "inspect/rules.h"

namespace pinwheel::host {
namespace {

constexpr const char* kArchive = "archive";
constexpr const char* kRecord = "record";
constexpr const char* kSize = "size";

bool contains(const std::vector<std::string>& rules, const std::string& rule) {
  return std::find(rules.begin(), rules.end(), rule) != rules.end();
}

Error as_error(const publish::Artifact& file, const inspect::Finding& finding) {
  Error error = inspect::to_error(finding);
  error.message = fmt::format("{}: {}", quoted(file.filename), error.message);
  return error;
}

}  // namespace

Result<std::vector<Error>> content_findings(const publish::Artifact& file,
                                            const std::vector<std::string>& ignored) {
  TRY(const std::vector<std::string> rules, inspect::chosen_rules({{}, ignored}));
  if (contains(ignored, kRecord)) {
    return fail(ErrorKind::usage, "`record` cannot be ignored",
                "installers reject a wheel whose files do not match its RECORD: build it again");
  }
  std::vector<Error> out;
  if (file.kind != publish::FileKind::wheel) return file.content_findings;
  TRY(const inspect::WheelFacts facts, inspect::gather(file.filename, *file.contents));
  std::vector<std::string> judged = rules;
  std::erase(judged, kSize);
  TRY(const std::vector<inspect::Finding> findings, inspect::check(facts, {}, judged));
  for (const inspect::Finding& finding : inspect::failures(findings)) {
    out.push_back(as_error(file, finding));
  }
  if (contains(rules, kArchive)) return out;
  for (const inspect::Finding& damaged : facts.unreadable) {
    if (damaged.rule == kArchive) out.push_back(as_error(file, damaged));
  }
  return out;
}

}  // namespace pinwheel::host
