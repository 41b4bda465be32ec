#include "init/torch_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "pep/requirement.h"

namespace pinwheel::init {
namespace {

using project::SourceMark;
using Releases = std::vector<std::string>;

constexpr size_t kReleases = 2;

Releases all_requirements_on_torch(const ProjectFacts& facts) {
  Releases all = requirements_on(build_requires(facts), "torch");
  for (std::string& more : requirements_on(dependencies(facts), "torch")) {
    all.push_back(std::move(more));
  }
  return all;
}

/// The part that links libtorch; empty without one.
std::string evidence_of_link(const ProjectFacts& facts) {
  if (facts.setup_py && facts.setup_py->torch_extension) {
    return "setup.py uses `torch.utils.cpp_extension`";
  }
  const auto& packages = facts.cmake ? facts.cmake->packages : Releases{};
  if (std::ranges::find(packages, "Torch") != packages.end()) return "CMakeLists.txt finds Torch";
  for (const SourceMark mark : {SourceMark::torch, SourceMark::torch_stable}) {
    const project::ScannedSource* const source = source_with(facts, mark);
    if (source != nullptr) return fmt::format("{} includes torch's headers", quoted(source->path));
  }
  return {};
}

std::string evidence_of_need(const ProjectFacts& facts) {
  if (!requirements_on(build_requires(facts), "torch").empty()) {
    return "the build requires torch";
  }
  if (!requirements_on(dependencies(facts), "torch").empty()) return "it depends on torch";
  const auto& imports = facts.setup_py ? facts.setup_py->imports : Releases{};
  const bool imported = std::ranges::find(imports, "torch") != imports.end();
  return imported ? "setup.py imports torch" : evidence_of_link(facts);
}

std::string stable_target(const ProjectFacts& facts) {
  if (facts.cmake && !facts.cmake->torch_target.empty()) return facts.cmake->torch_target;
  if (facts.setup_py && !facts.setup_py->torch_target.empty()) return facts.setup_py->torch_target;
  for (const project::ScannedSource& source : facts.sources) {
    if (!source.torch_target.empty()) return source.torch_target;
  }
  return {};
}

void choose_abi(const ProjectFacts& facts, TorchChoice& choice) {
  const std::string linked = evidence_of_link(facts);
  const project::ScannedSource* const stable = source_with(facts, SourceMark::torch_stable);
  const project::ScannedSource* const unstable = source_with(facts, SourceMark::torch);
  if (linked.empty()) {
    choice.abi_because = "nothing here is compiled against torch";
    return;
  }
  choice.abi = "minor";
  choice.abi_because = linked + ": libtorch's C++ symbols, one build for each torch";
  if (stable == nullptr) return;
  const std::string target = stable_target(facts);
  if (unstable != nullptr) {
    choice.left_out.push_back(
        {fmt::format("torch's Stable ABI ({})", quoted(stable->path)),
         fmt::format("{} includes headers that are not stable", quoted(unstable->path))});
  } else if (target.empty()) {
    choice.left_out.push_back(
        {fmt::format("torch's Stable ABI ({})", quoted(stable->path)),
         "no `TORCH_TARGET_VERSION` says from which release on; if it is 2.10, write `torch: "
         "stable(2.10)`"});
  } else {
    choice.abi = fmt::format("stable({})", target);
    choice.abi_because =
        fmt::format("only stable headers, and `TORCH_TARGET_VERSION` is {}", target);
  }
}

/// Orders "2.9" before "2.10".
bool older_release(const std::string& a, const std::string& b) {
  return pep::parse_version(a).value() < pep::parse_version(b).value();
}

/// The known releases that satisfy every requirement on torch, ascending.
Releases admitted_releases(const ProjectFacts& facts) {
  Releases admitted;
  for (const KnownTorch& torch : facts.torches) {
    const pep::Version newest_patch = pep::parse_version(torch.release + ".99").value();
    const Releases requirements = all_requirements_on_torch(facts);
    const bool fits = std::ranges::all_of(requirements, [&](const std::string& text) {
      return pep::satisfies(newest_patch, pep::parse_requirement(text)->specifiers);
    });
    if (fits) admitted.push_back(torch.release);
  }
  return admitted;
}

/// The newest release of a list; for the Stable ABI the oldest and the newest.
Releases few_of(Releases releases, const std::string& abi) {
  if (releases.size() <= kReleases) return releases;
  if (abi.starts_with("stable")) return {releases.front(), releases.back()};
  return {releases.end() - kReleases, releases.end()};
}

}  // namespace

TorchChoice with_releases(const ProjectFacts& facts, TorchChoice choice) {
  if (!facts.wanted_torches.empty()) {
    choice.releases = facts.wanted_torches;
    choice.releases_because = "`--torch`";
    return choice;
  }
  Releases admitted = admitted_releases(facts);
  if (choice.abi.starts_with("stable")) {
    const std::string target = choice.abi.substr(7, choice.abi.size() - 8);
    std::erase_if(admitted, [&](const auto& release) { return older_release(release, target); });
  }
  Releases listed = facts.workflow.torches;
  std::erase_if(listed, [&](const std::string& release) {
    return std::ranges::find(admitted, release) == admitted.end();
  });
  std::ranges::sort(listed, older_release);
  if (!listed.empty()) {
    choice.releases = few_of(listed, choice.abi);
    choice.releases_because = "the newest of the workflows' matrix";
  } else if (!admitted.empty()) {
    choice.releases = few_of(admitted, choice.abi);
    choice.releases_because = choice.abi.starts_with("stable")
                                  ? "the oldest that the ABI allows, and the newest"
                                  : "the newest that pinwheel knows";
  } else {
    choice.releases = {facts.torches.empty() ? "2.13" : facts.torches.back().release};
    choice.releases_because = "a guess: no release that pinwheel knows fits the requirements";
  }
  return choice;
}

TorchChoice choose_torch(const ProjectFacts& facts) {
  TorchChoice choice;
  choice.needed_because = evidence_of_need(facts);
  if (choice.needed_because.empty()) {
    if (!facts.wanted_torches.empty())
      choice.left_out = {{"`--torch`", "nothing here needs torch"}};
    return choice;
  }
  choose_abi(facts, choice);
  return with_releases(facts, std::move(choice));
}

}  // namespace pinwheel::init
