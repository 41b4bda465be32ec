#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "inspect/driver.h"
#include "inspect/gpu_stack.h"
#include "inspect/needed_library.h"
#include "inspect/requirements.h"
#include "inspect/rule_functions.h"
#include "inspect/symbol_owner.h"
#include "pep/name.h"

namespace pinwheel::inspect {
namespace {

bool agrees(const GpuRelease& promised, const GpuRelease& used) {
  if (promised.stack != used.stack) return false;
  if (used.major != 0 && promised.major != used.major) return false;
  return !used.minor || !promised.minor || *used.minor == *promised.minor;
}

/// A symbol of torch that the wheel imports without needing a library that has it; empty without
/// one.
std::string torch_symbol(const WheelFacts& facts) {
  for (const ElfMember& library : facts.libraries) {
    for (const binary::Symbol& symbol : library.elf.undefined) {
      const bool weak = symbol.binding == binary::Binding::weak;
      if (!weak && symbol_owner(symbol.name) == SymbolOwner::torch) {
        return quoted(library.name) + " takes " + symbol.name;
      }
    }
  }
  return {};
}

}  // namespace

Findings judge_gpu_label(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!facts.name) return {};  // reported by `unreadable` under wheel-name
  const std::optional<GpuRelease> promised = promised_release(facts.name->version);
  if (!promised) return {};
  Findings out;
  const std::vector<GpuUse> uses = gpu_uses(facts);
  std::set<std::pair<GpuRelease, std::string>> reported;
  for (const GpuUse& use : uses) {
    if (agrees(*promised, use.release) || !reported.emplace(use.release, use.file).second) continue;
    out.push_back({"", use.file,
                   "is for " + to_string(use.release) +
                       ", but the label in the wheel's version is for " + to_string(*promised),
                   use.evidence, "build with the toolkit of the label, or correct the label"});
  }
  if (promised->stack != GpuStack::cpu && uses.empty() && !facts.libraries.empty()) {
    out.push_back({"", facts.file_name,
                   "is labeled for " + to_string(*promised) + ", but contains nothing for a GPU",
                   "no device code, no library of " + to_string(*promised) + " needed",
                   "find out why the build made only its CPU part, or drop the label"});
  }
  return out;
}

Findings judge_torch_requirement(const WheelFacts& facts, const Expectations& expected) {
  if (!facts.metadata) return {};
  if (!expected.added_requirement.empty()) {
    return {{"", facts.dist_info + "/METADATA",
             "requires torch only through `package.requires`: the project's own metadata does not, "
             "so an install from its sdist lacks torch",
             quoted(expected.added_requirement),
             "add torch to the project's `dependencies` (`install_requires` in setup.py)"}};
  }
  if (!torch_requirements(facts).empty()) return {};
  std::vector<std::string> sonames;
  std::string by;
  for (const NeededLibrary& library : needed_libraries(facts, expected.external)) {
    if (library.provider != Provider::torch) continue;
    if (by.empty()) by = library.needed_by.front();
    sonames.push_back(library.soname);
  }
  const bool own = pep::normalize_name(facts.metadata->name()) == "torch";
  std::string evidence =
      sonames.empty() ? torch_symbol(facts) : quoted(by) + " needs " + join(sonames, ", ");
  if (own || (evidence.empty() && facts.torch_importers.empty())) return {};
  if (evidence.empty()) {
    return {{"", facts.dist_info + "/METADATA",
             "does not require torch, but its import begins with torch's, and fails without it",
             quoted(facts.torch_importers.front()) + " imports it", "add `Requires-Dist: torch`"}};
  }
  return {{"", facts.dist_info + "/METADATA",
           "does not require torch, but libraries need torch's: without it, or with another "
           "release, the import fails",
           evidence, "add `Requires-Dist: torch` with the release it was built with"}};
}

Findings judge_torch_bounds(const WheelFacts& facts, const Expectations& expected) {
  return expected.judge_bounds ? expected.judge_bounds(facts) : Findings{};
}

Findings judge_gpu_driver(const WheelFacts& facts, const Expectations& /*expected*/) {
  const DriverNeeds needs = driver_needs(facts);
  const std::optional<DriverNeed> oldest = oldest_driver(needs);
  // Only a requirement beyond that of the release itself is worth a finding.
  if (!oldest || needs.load.size() < 2 || oldest->cuda == needs.load.front().cuda) return {};
  return {{"", facts.file_name,
           fmt::format("does not run on drivers older than {}, although drivers since {} run {}",
                       driver_text(oldest->cuda), driver_text(needs.load.front().cuda),
                       to_string(GpuRelease{GpuStack::cuda, needs.load.front().cuda.major})),
           oldest->reason,
           "compress device code with `-Xfatbin -compress-all --compress-mode=speed`, or document "
           "the driver it needs"}};
}

}  // namespace pinwheel::inspect
