#include "compat/torch_bounds.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/text.h"
#include "compat/assessment.h"
#include "compat/gate.h"
#include "inspect/name_list.h"
#include "pep/requirement.h"
#include "wheel/metadata.h"

namespace pinwheel::compat {
namespace {

/// The clauses of every requirement on torch that holds without an extra; nullopt without one that
/// can be read.
std::optional<pep::SpecifierSet> required_torch(const Assessment& assessment) {
  std::optional<pep::SpecifierSet> out;
  for (const std::string& line : assessment.requires_torch) {
    if (wheel::is_of_extra(line)) continue;
    const Result<pep::Requirement> requirement = pep::parse_requirement(line);
    if (!requirement) continue;
    if (!out) out.emplace();
    out->insert(out->end(), requirement->specifiers.begin(), requirement->specifiers.end());
  }
  return out;
}

std::string why_newest(const TorchVerdicts& torch, const pep::SpecifierSet& required) {
  for (auto build = torch.builds.rbegin(); build != torch.builds.rend(); ++build) {
    const Result<pep::Version> version = pep::parse_version(build->build.version);
    if (build->loads || !version || !pep::satisfies(*version, required)) continue;
    return fmt::format("torch {}: {}", build->build.version, why_not(*build, torch));
  }
  return {};
}

/// 2.15 for 2.14.1.
pep::Version minor_after(const pep::Version& version) {
  pep::Version next = minor_of(version);
  ++next.release.at(1);
  return next;
}

inspect::Finding too_wide(const inspect::WheelFacts& facts, const Assessment& assessment,
                          std::string message, std::string evidence) {
  return {"", facts.dist_info + "/METADATA",
          fmt::format("requires {}, {}", quoted_list(assessment.requires_torch), message),
          std::move(evidence),
          assessment.pin.empty() ? std::string("build it for a torch that it can require")
                                 : fmt::format("require {} (in a matrix: `package: {{requires: "
                                               "{{torch: auto}}}}`)",
                                               quoted(assessment.pin))};
}

std::vector<inspect::Finding> judge_bounds_of(const inspect::WheelFacts& facts,
                                              const exports::Table& table) {
  const Assessment assessment = assess(facts, table);
  const std::optional<pep::SpecifierSet> required = required_torch(assessment);
  if (!required || assessment.torch.use == TorchUse::none) return {};
  const std::vector<ReleaseLoads> releases = release_loads(assessment.torch);
  std::vector<std::string> failing;
  for (const ReleaseLoads& release : releases) {
    if (release.loads || !pep::satisfies(release.version, *required)) continue;
    failing.push_back(pep::to_string(release.version));
  }
  if (!failing.empty()) {
    return {too_wide(
        facts, assessment,
        fmt::format("which allows torch {}, where it does not load", inspect::first_names(failing)),
        why_newest(assessment.torch, *required))};
  }
  const bool open = assessment.torch.use == TorchUse::classic && !releases.empty() &&
                    releases.back().version.release.size() > 1 &&
                    pep::satisfies(minor_after(releases.back().version), *required);
  if (!open) return {};
  return {too_wide(facts, assessment,
                   fmt::format("which allows releases after {}, but it uses torch's C++ ABI, which "
                               "is stable only within a minor release",
                               pep::to_string(releases.back().version)),
                   "")};
}

}  // namespace

inspect::WheelJudge judge_torch_bounds(std::shared_ptr<const exports::Table> table) {
  return [table = std::move(table)](const inspect::WheelFacts& facts) {
    return judge_bounds_of(facts, *table);
  };
}

}  // namespace pinwheel::compat
