#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "publish/catalog.h"

namespace pinwheel::publish {

/// What stays listed in an index of nightlies.
struct Kept {
  Catalog catalog;
  std::vector<std::string> retired;  ///< names of the files that are listed no more, sorted
};

/// Takes old nightlies off an index: of each project all development releases (PEP 440's `.devN`)
/// but the newest `nightlies`, in every sub-index. A version is old or not with all of its local
/// versions. What is `published` now stays whatever its age, and so does everything that is no
/// development release. A project that has nothing left stays as an empty page.
Kept keep_nightlies(Catalog catalog, size_t nightlies, const std::vector<Addition>& published);

}  // namespace pinwheel::publish
