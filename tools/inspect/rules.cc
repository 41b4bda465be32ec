#include "inspect/rules.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "inspect/arch_list.h"
#include "inspect/rule_functions.h"

namespace pinwheel::inspect {
namespace {

constexpr std::array<Rule, 9> kRules = {{
    {"wheel-name", "file name, plan, METADATA and WHEEL agree on name, version and tags",
     judge_wheel_name},
    {"metadata", "METADATA is what PyPI and installers accept", judge_metadata},
    {"record", "RECORD lists every member once, with the right sha256 and size", judge_record},
    {"archive", "the zip file keeps the rules that PyPI has for archives", judge_archive},
    {"platform-tag", "the symbol versions and libraries of the binaries justify the platform tag",
     judge_platform_tag},
    {"needed-libraries", "the system, the wheel, torch or the driver brings every needed library",
     judge_needed_libraries},
    {"rpath", "RPATH and RUNPATH are relative to $ORIGIN and stay inside site-packages",
     judge_rpath},
    {"device-code", "libraries with device code have it for every claimed architecture, no other",
     judge_device_code},
    {"size", "the wheel is no larger than the limit", judge_size},
}};

const Rule* find_rule(const std::string& id) {
  const auto* const found =
      std::find_if(kRules.begin(), kRules.end(), [&](const Rule& rule) { return rule.id == id; });
  return found == kRules.end() ? nullptr : found;
}

Done require_known(const std::vector<std::string>& ids) {
  for (const std::string& id : ids) {
    if (find_rule(id) != nullptr) continue;
    return fail(ErrorKind::config, "unknown rule " + quoted(id), suggest(id, rule_ids()));
  }
  return {};
}

}  // namespace

std::span<const Rule> all_rules() {
  return kRules;
}

std::vector<std::string> rule_ids() {
  std::vector<std::string> ids;
  ids.reserve(kRules.size());
  for (const Rule& rule : kRules) ids.emplace_back(rule.id);
  return ids;
}

Result<std::vector<std::string>> rules_without(const std::vector<std::string>& ignored) {
  TRY_DONE(require_known(ignored));
  std::vector<std::string> ids = rule_ids();
  std::erase_if(ids, [&](const std::string& id) {
    return std::find(ignored.begin(), ignored.end(), id) != ignored.end();
  });
  return ids;
}

Result<std::vector<Finding>> check(const WheelFacts& facts, const Expectations& expected,
                                   const std::vector<std::string>& rules) {
  TRY_DONE(require_known(rules));
  TRY_DONE(targets_of(expected.arch_list));
  std::vector<Finding> out;
  for (const Rule& rule : kRules) {
    if (std::find(rules.begin(), rules.end(), rule.id) == rules.end()) continue;
    for (const Finding& finding : facts.unreadable) {
      if (finding.rule == rule.id) out.push_back(finding);
    }
    for (Finding& finding : rule.judge(facts, expected)) {
      finding.rule = rule.id;
      out.push_back(std::move(finding));
    }
  }
  return out;
}

}  // namespace pinwheel::inspect
