#include "publish/retention.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "publish/index_file.h"

namespace pinwheel::publish {

namespace {

/// The public version of a development release; nullopt for any other file.
std::optional<pep::Version> nightly_of(const std::string& filename) {
  const std::optional<pep::Version> version = version_of_file(filename);
  if (!version || !version->dev) return std::nullopt;
  return pep::public_part(*version);
}

ProjectVersions nightlies_in(const Catalog& catalog) {
  ProjectVersions found;
  for (const auto& [place, projects] : catalog.places) {
    for (const auto& [project, files] : projects) {
      for (const auto& [filename, file] : files) {
        if (const auto nightly = nightly_of(filename)) found[project].insert(*nightly);
      }
    }
  }
  return found;
}

ProjectVersions old_ones(const Catalog& catalog, size_t retained,
                         const std::vector<Addition>& published) {
  ProjectVersions old = nightlies_in(catalog);
  for (auto& [project, versions] : old) {
    const auto newest = static_cast<std::ptrdiff_t>(std::min(retained, versions.size()));
    versions.erase(std::prev(versions.end(), newest), versions.end());
  }
  for (const Addition& addition : published) {
    if (const auto nightly = nightly_of(addition.filename)) old[addition.project].erase(*nightly);
  }
  return old;
}

}  // namespace

Retention without_versions(Catalog catalog, const ProjectVersions& versions) {
  std::set<std::string> retired;
  for (auto& [place, projects] : catalog.places) {
    for (const auto& [project, dropped] : versions) {
      const auto listed = projects.find(project);
      if (listed == projects.end()) continue;
      std::erase_if(listed->second, [&retired, &versions_of = dropped](const auto& file) {
        const auto version = version_of_file(file.first);
        const bool drop = version && versions_of.contains(pep::public_part(*version));
        if (drop) retired.insert(file.first);
        return drop;
      });
    }
  }
  return {std::move(catalog), {retired.begin(), retired.end()}};
}

Retention keep_nightlies(Catalog catalog, size_t nightlies,
                         const std::vector<Addition>& published) {
  const ProjectVersions old = old_ones(catalog, nightlies, published);
  return without_versions(std::move(catalog), old);
}

}  // namespace pinwheel::publish
