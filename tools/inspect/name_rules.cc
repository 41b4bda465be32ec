#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "base/text.h"
#include "inspect/rule_functions.h"
#include "pep/name.h"

namespace pinwheel::inspect {
namespace {

bool same_version(const pep::Version& version, const std::string& text) {
  const Result<pep::Version> other = pep::parse_version(text);
  return other && *other == version;
}

// Compares a name and version from elsewhere with those in the file name.
void compare_identity(const WheelFacts& facts, const std::string& where, const std::string& name,
                      const std::string& version, Findings& out) {
  const pep::WheelName& file = *facts.name;
  if (!name.empty() && pep::normalize_name(name) != pep::normalize_name(file.distribution)) {
    out.push_back({"", facts.file_name, "has a different name than " + where,
                   file.distribution + ", " + where + ": " + name,
                   "use the same package name in the build backend and the matrix"});
  }
  if (!version.empty() && !same_version(file.version, version)) {
    out.push_back({"", facts.file_name, "has a different version than " + where,
                   pep::to_string(file.version) + ", " + where + ": " + version,
                   "make the build use the version of the plan"});
  }
}

void compare_directory(const WheelFacts& facts, Findings& out) {
  const std::string stem = facts.dist_info.substr(0, facts.dist_info.rfind('.'));
  const size_t dash = stem.find('-');
  const std::string name = stem.substr(0, dash);
  const std::string version = dash == std::string::npos ? "" : stem.substr(dash + 1);
  if (pep::normalize_name(name) == pep::normalize_name(facts.name->distribution) &&
      same_version(facts.name->version, version)) {
    return;
  }
  out.push_back({"", facts.dist_info, "does not match the file name", facts.file_name,
                 "rebuild the wheel, or rename it with `pinwheel finish`"});
}

void compare_tags(const WheelFacts& facts, Findings& out) {
  std::set<std::string> named;
  for (const pep::Tag& tag : pep::expand(facts.name->tags)) named.insert(pep::to_string(tag));
  const std::vector<std::string> lines = facts.wheel_file->tags();
  std::set<std::string> listed;
  for (const std::string& line : lines) {
    const Result<pep::TagSet> tags = pep::parse_tags(line);
    if (!tags) {
      out.push_back({"", facts.dist_info + "/WHEEL", "has a malformed tag " + quoted(line)});
      continue;
    }
    for (const pep::Tag& tag : pep::expand(*tags)) listed.insert(pep::to_string(tag));
  }
  if (named == listed) return;
  out.push_back({"", facts.dist_info + "/WHEEL", "lists different tags than the file name",
                 join({listed.begin(), listed.end()}, ", ") +
                     "; file name: " + join({named.begin(), named.end()}, ", "),
                 "rename wheels with `pinwheel finish` or `wheel tags`, which rewrite both"});
}

std::string build_text(const std::optional<pep::BuildTag>& build) {
  return build ? std::to_string(build->number) + build->rest : "none";
}

/// Compares the `Build` line of WHEEL with the build tag of the file name, which installers read.
void compare_build(const WheelFacts& facts, Findings& out) {
  std::string line = facts.wheel_file->build();
  // File names have the number without leading zeros.
  line.erase(0, std::min(line.find_first_not_of('0'), line.size()));
  const std::string stated = line.empty() ? "none" : line;
  const std::string named = build_text(facts.name->build);
  if (stated == named) return;
  out.push_back({"", facts.dist_info + "/WHEEL", "has a different build number than the file name",
                 stated + "; file name: " + named,
                 "set it with `pinwheel finish --build-number`, which writes both"});
}

/// Compares the build tag of the file name with the build number of the plan.
void compare_planned_build(const WheelFacts& facts, uint64_t planned, Findings& out) {
  if (planned == 0 || facts.name->build == pep::BuildTag{planned}) return;
  out.push_back({"", facts.file_name, "has a different build number than the plan",
                 build_text(facts.name->build) + ", the plan: " + std::to_string(planned),
                 "set it with `pinwheel finish --build-number`"});
}

}  // namespace

Findings judge_wheel_name(const WheelFacts& facts, const Expectations& expected) {
  if (!facts.name) return {};  // reported by `unreadable`
  Findings out;
  compare_identity(facts, "the plan", expected.distribution, expected.version, out);
  compare_planned_build(facts, expected.build_number, out);
  if (facts.metadata) {
    compare_identity(facts, "METADATA", facts.metadata->name(), facts.metadata->version(), out);
  }
  compare_directory(facts, out);
  if (facts.wheel_file) compare_tags(facts, out);
  if (facts.wheel_file) compare_build(facts, out);
  return out;
}

}  // namespace pinwheel::inspect
