#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pep/version.h"
#include "publish/catalog.h"

namespace pinwheel::publish {

/// The files that stay listed in an index of nightlies.
struct Retention {
  Catalog catalog;
  std::vector<std::string> retired;  ///< names of the files that are no longer listed, sorted
};

/// Public versions by project.
using ProjectVersions = std::map<std::string, std::set<pep::Version>>;

/// Removes all files of these versions, with all of their local versions, from every place. A
/// project without remaining files stays as an empty page.
Retention without_versions(Catalog catalog, const ProjectVersions& versions);

/// Removes old nightlies from the pages of an index: for each project, all development releases
/// (PEP 440's `.devN`) except the newest `nightlies`, in every sub-index. A version and all of its
/// local versions are removed together. Files in `published`, the current publication, always stay,
/// and so do all files that are not development releases. A project without remaining files stays
/// as an empty page.
Retention keep_nightlies(Catalog catalog, size_t nightlies, const std::vector<Addition>& published);

}  // namespace pinwheel::publish
