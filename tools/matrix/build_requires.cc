#include "matrix/build_requires.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "pep/name.h"
#include "pep/requirement.h"

namespace pinwheel::matrix {
namespace {

/// The normalized name of a requirement; the text itself if it is not a requirement, which pip
/// reports.
std::string project_of(const std::string& text) {
  const auto requirement = pep::parse_requirement(text);
  return requirement ? pep::normalize_name(requirement->name) : text;
}

std::vector<std::string> own_requirements(const EnvironmentSettings& environment) {
  std::vector<std::string> own = environment.pip;
  own.insert(own.end(), environment.tools.begin(), environment.tools.end());
  return own;
}

/// The versions at which an answer can change: those that the clauses name, and the ones just below
/// and above them.
std::vector<pep::Version> landmarks(const pep::SpecifierSet& clauses) {
  std::vector<pep::Version> versions;
  for (const pep::Specifier& clause : clauses) {
    versions.push_back(clause.version);
    pep::Version above = clause.version;
    above.release.push_back(1);
    versions.push_back(above);
    pep::Version below = clause.version;
    below.dev = 0;
    versions.push_back(below);
    pep::Version next = clause.version;
    next.release.back() += 1;
    versions.push_back(next);
    next = clause.version;
    next.release.front() += 1;
    versions.push_back(next);
    versions.push_back(pep::Version{.release = {0}});
  }
  return versions;
}

bool exclude_each_other(const pep::SpecifierSet& a, const pep::SpecifierSet& b) {
  std::vector<pep::Version> versions = landmarks(a);
  const std::vector<pep::Version> more = landmarks(b);
  versions.insert(versions.end(), more.begin(), more.end());
  return !versions.empty() &&
         std::none_of(versions.begin(), versions.end(), [&](const pep::Version& version) {
           return pep::satisfies(version, a) && pep::satisfies(version, b);
         });
}

}  // namespace

std::vector<std::string> default_build_command() {
  return {"python",         "-m",       "build",      "--wheel",
          "--no-isolation", "--outdir", "{dest_dir}", "{package}"};
}

EnvironmentSettings with_build_requires(EnvironmentSettings environment,
                                        const std::vector<std::string>& requires_) {
  std::set<std::string> named = {"torch"};
  for (const std::string& own : own_requirements(environment)) named.insert(project_of(own));
  for (const std::string& each : requires_) {
    // A project may be named twice, with different markers.
    if (!named.contains(project_of(each))) environment.pip.push_back(each);
  }
  return environment;
}

std::vector<std::string> contradictions(const EnvironmentSettings& own,
                                        const std::vector<std::string>& requires_) {
  std::vector<std::string> found;
  for (const std::string& text : own_requirements(own)) {
    const auto mine = pep::parse_requirement(text);
    if (!mine) continue;
    for (const std::string& required : requires_) {
      const auto theirs = pep::parse_requirement(required);
      if (!theirs || !theirs->marker.empty() ||
          pep::normalize_name(theirs->name) != pep::normalize_name(mine->name)) {
        continue;
      }
      if (exclude_each_other(mine->specifiers, theirs->specifiers)) {
        found.push_back(
            fmt::format("the matrix installs {}, but the project's `[build-system]` requires {}",
                        quoted(text), quoted(required)));
      }
    }
  }
  return found;
}

bool lacks_torch(const EnvironmentSettings& own, const std::vector<std::string>& requires_) {
  const auto is_torch = [](const std::string& text) { return project_of(text) == "torch"; };
  const std::vector<std::string> all = own_requirements(own);
  return own.torch.spec.empty() && std::none_of(all.begin(), all.end(), is_torch) &&
         std::any_of(requires_.begin(), requires_.end(), is_torch);
}

}  // namespace pinwheel::matrix
