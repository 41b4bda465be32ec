#include <fmt/format.h>

#include <algorithm>
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

namespace {

/// The release of the label of a wheel, and the place of the label.
struct ReleaseLabel {
  GpuRelease release;
  std::string_view place;
};

std::optional<ReleaseLabel> label_of_wheel(const WheelFacts& facts) {
  if (const auto release = promised_release(facts.name->version)) {
    return ReleaseLabel{*release, "the label in the wheel's version"};
  }
  if (const auto release = release_in_name(facts.name->distribution)) {
    return ReleaseLabel{*release, "the label in the wheel's name"};
  }
  return std::nullopt;
}

/// Uses of a release other than that of the label, each once per file.
Findings other_releases(const ReleaseLabel& label, const std::vector<GpuUse>& uses) {
  Findings out;
  std::set<std::pair<GpuRelease, std::string>> reported;
  for (const GpuUse& use : uses) {
    if (agrees(label.release, use.release) || !reported.emplace(use.release, use.file).second) {
      continue;
    }
    out.push_back({"", use.file,
                   fmt::format("is for {}, but {} is for {}", to_string(use.release), label.place,
                               to_string(label.release)),
                   use.evidence, "build with the toolkit of the label, or correct the label"});
  }
  return out;
}

bool is_requirement(const GpuUse& use) {
  return use.kind == GpuUseKind::requirement || use.kind == GpuUseKind::marked_requirement;
}

/// Without a label: libraries of one major release of CUDA, and requirements on packages of
/// another. A wheel with libraries for several releases chooses one when it is imported. A
/// requirement with a marker may be for another machine, if another one is right.
Findings contradicting_requirements(const std::vector<GpuUse>& uses) {
  const GpuUse* needed = nullptr;
  for (const GpuUse& use : uses) {
    const bool library = use.kind == GpuUseKind::library && use.release.stack == GpuStack::cuda;
    if (!library || use.release.major == 0) continue;
    if (needed != nullptr && needed->release != use.release) return {};
    needed = &use;
  }
  if (needed == nullptr) return {};
  const auto is_right = [needed](const GpuUse& use) {
    return is_requirement(use) && use.release.major == needed->release.major;
  };
  const bool some_right = std::ranges::any_of(uses, is_right);
  Findings out;
  for (const GpuUse& use : uses) {
    if (!is_requirement(use) || use.release.stack != GpuStack::cuda || is_right(use)) continue;
    if (!out.empty() || (some_right && use.kind == GpuUseKind::marked_requirement)) continue;
    out.push_back({"", use.file,
                   fmt::format("requires packages of {}, but libraries need {}",
                               to_string(use.release), to_string(needed->release)),
                   fmt::format("{}; {} {}", use.evidence, quoted(needed->file), needed->evidence),
                   "require the packages of the toolkit that the wheel was built with"});
  }
  return out;
}

}  // namespace

Findings judge_gpu_label(const WheelFacts& facts, const Expectations& /*expected*/) {
  if (!facts.name) return {};  // reported by `unreadable` under wheel-name
  const std::vector<GpuUse> uses = gpu_uses(facts);
  const std::optional<ReleaseLabel> label = label_of_wheel(facts);
  if (!label) return contradicting_requirements(uses);
  Findings out = other_releases(*label, uses);
  const bool in_version = promised_release(facts.name->version).has_value();
  const std::optional<GpuRelease> in_name = release_in_name(facts.name->distribution);
  if (in_version && in_name && !agrees(label->release, *in_name)) {
    out.push_back({"", facts.file_name,
                   fmt::format("the label in the wheel's name is for {}, but {} is for {}",
                               to_string(*in_name), label->place, to_string(label->release)),
                   quoted(facts.file_name), "correct one of the labels"});
  }
  if (in_version && label->release.stack != GpuStack::cpu && uses.empty() &&
      !facts.libraries.empty()) {
    out.push_back(
        {"", facts.file_name,
         "is labeled for " + to_string(label->release) + ", but contains nothing for a GPU",
         "no device code, no library of " + to_string(label->release) + " needed",
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
