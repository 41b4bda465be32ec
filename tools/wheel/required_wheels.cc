#include "wheel/required_wheels.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"
#include "pep/specifier.h"
#include "pep/version.h"

namespace pinwheel::wheel {
namespace {

/// How well a wheel satisfies a requirement: 2 if its version is the one that the requirement
/// states, 1 if it is another one, such as `1.2.0+cu130` for `==1.2.0`, 0 if it does not.
int fit_of(const NamedWheel& wheel, const pep::Requirement& requirement) {
  const Result<pep::Version> version = pep::parse_version(wheel.metadata.version());
  const bool named =
      pep::normalize_name(wheel.metadata.name()) == pep::normalize_name(requirement.name);
  if (!named || !version || !pep::satisfies(*version, requirement.specifiers)) return 0;
  const bool stated =
      std::ranges::any_of(requirement.specifiers, [&version](const pep::Specifier& clause) {
        return clause.comparison == pep::Comparison::equal && clause.version == *version;
      });
  return stated ? 2 : 1;
}

/// The best wheel of a build for a requirement; nullptr if none satisfies it.
const NamedWheel* best_of(const WheelsOfBuild& build, const pep::Requirement& requirement) {
  const NamedWheel* best = nullptr;
  int best_fit = 0;
  for (const NamedWheel& wheel : build.wheels) {
    const int fit = fit_of(wheel, requirement);
    if (fit <= best_fit) continue;
    best = &wheel;
    best_fit = fit;
  }
  return best;
}

}  // namespace

Result<std::vector<std::string>> required_wheels(const NamedWheel& tested,
                                                 const std::vector<WheelsOfBuild>& builds) {
  std::map<std::string, std::string> chosen;
  std::vector<const NamedWheel*> open = {&tested};
  while (!open.empty()) {
    const NamedWheel& wheel = *open.back();
    open.pop_back();
    for (const std::string& line : wheel.metadata.requires_dist()) {
      const Result<pep::Requirement> requirement = pep::parse_requirement(line);
      if (!requirement) continue;
      for (const WheelsOfBuild& build : builds) {
        const NamedWheel* const best = best_of(build, *requirement);
        if (best == nullptr || !chosen.emplace(build.build, best->path).second) continue;
        open.push_back(best);
      }
    }
  }
  std::vector<std::string> paths;
  for (const WheelsOfBuild& build : builds) {
    const auto path = chosen.find(build.build);
    if (path == chosen.end()) {
      return fail(ErrorKind::check,
                  fmt::format("{} requires a version that no wheel of {} has",
                              quoted(std::filesystem::path(tested.path).filename().string()),
                              quoted(build.build)),
                  "build both again: their wheels are of different releases");
    }
    paths.push_back(path->second);
  }
  return paths;
}

}  // namespace pinwheel::wheel
