#pragma once
#include <string>

#include "base/map_difference.h"
#include "env/resolution.h"
#include "store/entry.h"

namespace pinwheel::plan {

/// Everything that decides the key of a resolved environment, by name: "numpy", "conda:zlib",
/// "absent:nvidia-nccl-cu13" for what is left out without a GPU, "python".
store::InstalledPackages environment_packages(const env::Resolution& resolution);

/// A package that two environments do not have in common: an element of what `map_differences` says
/// of their packages. Two files of the same version differ by their digest.
using PackageDifference = MapDifference<store::InstalledPackage>;

/// "numpy: 1.26.4 -> 2.0.0", "numpy 2.0.0 is new", "numpy 1.26.4 is gone", "numpy 1.26.4: another
/// file".
std::string to_text(const PackageDifference& difference);

}  // namespace pinwheel::plan
