#pragma once
#include <string>
#include <vector>

#include "env/lock.h"

namespace pinwheel::env {

/// One difference from the lock.
struct LockDifference {
  std::string what;    ///< "numpy", "python", "requirement"
  std::string locked;  ///< "1.26.4"; empty: added
  std::string now;     ///< "2.0.0"; empty: removed

  bool operator==(const LockDifference&) const = default;
};

/// "`numpy`: 1.26.4 -> 2.0.0", "`numpy` 2.0.0 is new", "`numpy` 1.26.4 is gone".
std::string to_text(const LockDifference& difference);

/// How a request differs from the locked one; empty if it does not.
std::vector<LockDifference> request_differences(const Lock& locked, const Request& now);

/// How the packages of another resolution differ; two builds of the same version differ by file or
/// hash.
std::vector<LockDifference> package_differences(const Resolution& locked, const Resolution& now);

}  // namespace pinwheel::env
