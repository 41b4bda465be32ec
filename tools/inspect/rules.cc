#include "inspect/rules.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "inspect/arch_list.h"
#include "inspect/rule_functions.h"

namespace pinwheel::inspect {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"wheel-name", Severity::error,
     "file name, plan, METADATA and WHEEL agree on name, version, build number and tags",
     judge_wheel_name},
    {"metadata", Severity::error, "METADATA is accepted by PyPI and installers", judge_metadata},
    {"variant", Severity::error,
     "a wheel variant has the label of its name, and properties that its code keeps",
     judge_variant},
    {"record", Severity::error, "RECORD lists every member once, with the correct sha256 and size",
     judge_record},
    {"archive", Severity::error, "the zip file follows PyPI's rules for archives", judge_archive},
    {"special-members", Severity::error,
     "members are files and directories, without setuid and setgid bits", judge_special_members},
    {"hidden-characters", Severity::error,
     "names have no invisible characters and none that reverse the text", judge_hidden_characters},
    {"platform-tag", Severity::error,
     "the symbol versions and libraries of the binaries justify the platform tag",
     judge_platform_tag},
    {"needed-libraries", Severity::error,
     "the system, the wheel, torch or the driver provides every needed library",
     judge_needed_libraries},
    {"undefined-symbols", Severity::error,
     "torch, the C library and the wheel export the symbols that binaries import",
     judge_undefined_symbols},
    {"rpath", Severity::error,
     "RPATH and RUNPATH are relative to $ORIGIN and stay inside site-packages", judge_rpath},
    {"python-abi", Severity::error,
     "every tagged Python can load the modules: names, Stable ABI, free threading",
     judge_python_abi},
    {"executable-stack", Severity::error, "no library requests an executable stack",
     judge_executable_stack},
    {"text-relocations", Severity::warning, "no library has text relocations",
     judge_text_relocations},
    {"relro", Severity::warning, "shared libraries write-protect relocated data (RELRO)",
     judge_relro},
    {"debug-info", Severity::warning, "libraries are stripped of debug information",
     judge_debug_info},
    {"gpu-label", Severity::error,
     "libraries and device code match the CUDA or ROCm release in the local version",
     judge_gpu_label},
    {"gpu-driver", Severity::warning,
     "compressed device code does not need a newer driver than its CUDA release", judge_gpu_driver},
    {"torch-requirement", Severity::warning, "a wheel that uses torch requires it",
     judge_torch_requirement},
    {"torch-bounds", Severity::warning,
     "the requirement on torch allows only releases that load the wheel", judge_torch_bounds},
    {"byte-code", Severity::warning, "the wheel has no bytecode", judge_byte_code},
    {"top-level", Severity::warning,
     "top-level entries of site-packages are importable and have uncommon names", judge_top_level},
    {"duplicates", Severity::warning, "the wheel has no duplicate files", judge_duplicates},
    {"odd-members", Severity::warning,
     "no names that some systems do not support, no temporary files of tools, no editable install",
     judge_odd_members},
    {"bundled-libraries", Severity::error,
     "no library that another distribution, such as torch, loads into the same process",
     judge_bundled_libraries},
    {"module-init", Severity::error, "a module defines the PyInit function of its file name",
     judge_module_init},
    {"cuda-runtime", Severity::warning,
     "CUDA's runtime is not linked statically where the shared one is used", judge_cuda_runtime},
    {"cpu-baseline", Severity::warning,
     "code runs on every processor of its architecture, or checks the processor first",
     judge_cpu_baseline},
    {"compiled-here", Severity::warning, "a build compiles its native code, and downloads none",
     judge_compiled_here},
    {"device-code", Severity::error,
     "files with device code have it for every claimed architecture, no other", judge_device_code},
    {"size", Severity::error, "the wheel is no larger than the limit", judge_size},
});

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
      // A rule with severity error may have findings that are only warnings.
      if (rule.severity == Severity::warning) finding.severity = Severity::warning;
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
