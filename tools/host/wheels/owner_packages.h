#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/wheels/library_search.h"
#include "repair/sbom.h"

namespace pinwheel::host {

/// The packages of dpkg or rpm that own these files, with their license files; without a name for
/// files without an owner. One process for all, and one query to dpkg.
Result<std::vector<repair::OwnerPackage>> owner_packages(const LibraryPlace& place,
                                                         const std::vector<std::string>& paths);

}  // namespace pinwheel::host
