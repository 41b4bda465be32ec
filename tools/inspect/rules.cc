#include "inspect/rules.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "inspect/arch_list.h"
#include "inspect/rule_functions.h"

namespace pinwheel::inspect {
namespace {

constexpr std::array<Rule, 22> kRules = {{
    {"wheel-name", Severity::error,
     "file name, plan, METADATA and WHEEL agree on name, version and tags", judge_wheel_name},
    {"metadata", Severity::error, "METADATA is what PyPI and installers accept", judge_metadata},
    {"record", Severity::error, "RECORD lists every member once, with the right sha256 and size",
     judge_record},
    {"archive", Severity::error, "the zip file keeps the rules that PyPI has for archives",
     judge_archive},
    {"platform-tag", Severity::error,
     "the symbol versions and libraries of the binaries justify the platform tag",
     judge_platform_tag},
    {"needed-libraries", Severity::error,
     "the system, the wheel, torch or the driver brings every needed library",
     judge_needed_libraries},
    {"undefined-symbols", Severity::error,
     "every declared release of torch exports what the binaries want of it",
     judge_undefined_symbols},
    {"rpath", Severity::error,
     "RPATH and RUNPATH are relative to $ORIGIN and stay inside site-packages", judge_rpath},
    {"python-abi", Severity::error,
     "every Python that the tag promises can load the modules: names, Stable ABI, free threads",
     judge_python_abi},
    {"executable-stack", Severity::error, "no library asks for an executable stack",
     judge_executable_stack},
    {"text-relocations", Severity::warning, "no library writes to its own code to be loaded",
     judge_text_relocations},
    {"relro", Severity::warning, "shared libraries write-protect what the loader has relocated",
     judge_relro},
    {"debug-info", Severity::warning, "libraries are stripped of debug information",
     judge_debug_info},
    {"gpu-label", Severity::error,
     "the CUDA or ROCm release in the local version is that of libraries and device code",
     judge_gpu_label},
    {"gpu-driver", Severity::warning,
     "compressed device code needs no newer driver than its CUDA release", judge_gpu_driver},
    {"torch-requirement", Severity::warning, "who needs torch's libraries requires torch",
     judge_torch_requirement},
    {"byte-code", Severity::warning, "no byte code is packed", judge_byte_code},
    {"top-level", Severity::warning,
     "what lies at the top of site-packages is importable and has a name of its own",
     judge_top_level},
    {"duplicates", Severity::warning, "no file is packed twice", judge_duplicates},
    {"odd-members", Severity::warning,
     "no links, no names that some systems cannot have, no leftovers of tools", judge_odd_members},
    {"device-code", Severity::error,
     "files with device code have it for every claimed architecture, no other", judge_device_code},
    {"size", Severity::error, "the wheel is no larger than the limit", judge_size},
}};

bool contains(const std::vector<std::string>& ids, std::string_view id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

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

Result<std::vector<std::string>> chosen_rules(const RuleChoice& choice) {
  TRY_DONE(require_known(choice.select));
  TRY_DONE(require_known(choice.ignore));
  std::vector<std::string> ids = rule_ids();
  std::erase_if(ids, [&](const std::string& id) {
    return contains(choice.ignore, id) || (!choice.select.empty() && !contains(choice.select, id));
  });
  return ids;
}

Result<std::vector<Finding>> check(const WheelFacts& facts, const Expectations& expected,
                                   const std::vector<std::string>& rules) {
  TRY_DONE(require_known(rules));
  TRY_DONE(targets_of(expected.arch_list));
  std::vector<Finding> out;
  for (const Rule& rule : kRules) {
    if (!contains(rules, rule.id)) continue;
    for (const Finding& finding : facts.unreadable) {
      if (finding.rule == rule.id) out.push_back(finding);
    }
    for (Finding& finding : rule.judge(facts, expected)) {
      finding.rule = rule.id;
      finding.severity = rule.severity;
      out.push_back(std::move(finding));
    }
  }
  return out;
}

std::vector<Finding> failures(const std::vector<Finding>& findings,
                              const std::vector<std::string>& strict) {
  std::vector<Finding> out;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::error || contains(strict, finding.rule)) {
      out.push_back(finding);
    }
  }
  return out;
}

}  // namespace pinwheel::inspect
