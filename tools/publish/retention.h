#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "publish/catalog.h"

namespace pinwheel::publish {

/// The files that stay listed in an index of nightlies.
struct Retention {
  Catalog catalog;
  std::vector<std::string> retired;  ///< names of the files that are no longer listed, sorted
};

/// Removes old nightlies from the pages of an index: for each project, all development releases
/// (PEP 440's `.devN`) except the newest `nightlies`, in every sub-index. A version and all of its
/// local versions are removed together. Files in `published`, the current publication, always stay,
/// and so do all files that are not development releases. A project without remaining files stays
/// as an empty page.
Retention keep_nightlies(Catalog catalog, size_t nightlies, const std::vector<Addition>& published);

}  // namespace pinwheel::publish
