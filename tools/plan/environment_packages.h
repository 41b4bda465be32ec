#pragma once
#include <string>
#include <vector>

#include "env/resolution.h"
#include "store/stored_result.h"

namespace pinwheel::plan {

/// Everything that decides the key of a resolved environment, by name: "numpy", "conda:zlib",
/// "absent:nvidia-nccl-cu13" for what is left out without a GPU, "python".
store::StoredPackages environment_packages(const env::Resolution& resolution);

/// A package that two environments do not have in common. Two files of the same version differ by
/// their digest.
struct PackageDifference {
  std::string name;
  store::StoredPackage then = {};  ///< without a version: it is new
  store::StoredPackage now = {};   ///< without a version: it is gone

  bool operator==(const PackageDifference&) const = default;
};

/// How the packages of two environments differ, sorted by name.
std::vector<PackageDifference> package_differences(const store::StoredPackages& then,
                                                   const store::StoredPackages& now);

/// "numpy: 1.26.4 -> 2.0.0", "numpy 2.0.0 is new", "numpy 1.26.4 is gone", "numpy 1.26.4: another
/// file".
std::string to_text(const PackageDifference& difference);

}  // namespace pinwheel::plan
