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

using Nightlies = std::map<std::string, std::set<pep::Version>>;  ///< by project

/// The public version of a development release; nullopt for any other file.
std::optional<pep::Version> nightly_of(const std::string& filename) {
  const std::optional<pep::Version> version = version_of_file(filename);
  if (!version || !version->dev) return std::nullopt;
  return pep::public_part(*version);
}

Nightlies nightlies_in(const Catalog& catalog) {
  Nightlies found;
  for (const auto& [place, projects] : catalog.places) {
    for (const auto& [project, files] : projects) {
      for (const auto& [filename, file] : files) {
        if (const auto nightly = nightly_of(filename)) found[project].insert(*nightly);
      }
    }
  }
  return found;
}

Nightlies old_ones(const Catalog& catalog, size_t retained,
                   const std::vector<Addition>& published) {
  Nightlies old = nightlies_in(catalog);
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

Retention keep_nightlies(Catalog catalog, size_t nightlies,
                         const std::vector<Addition>& published) {
  const Nightlies old = old_ones(catalog, nightlies, published);
  std::set<std::string> retired;
  for (auto& [place, projects] : catalog.places) {
    for (const auto& [project, versions] : old) {
      const auto listed = projects.find(project);
      if (listed == projects.end()) continue;
      std::erase_if(listed->second, [&retired, &dropped = versions](const auto& file) {
        const auto nightly = nightly_of(file.first);
        const bool drop = nightly && dropped.contains(*nightly);
        if (drop) retired.insert(file.first);
        return drop;
      });
    }
  }
  return {std::move(catalog), {retired.begin(), retired.end()}};
}

}  // namespace pinwheel::publish
