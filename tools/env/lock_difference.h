#pragma once
#include <string>
#include <vector>

#include "env/lock.h"

namespace pinwheel::env {

/// One thing that is not as it was locked.
struct LockDifference {
  std::string what;    ///< "numpy", "python", "requirement"
  std::string locked;  ///< "1.26.4"; empty: new
  std::string now;     ///< "2.0.0"; empty: gone

  bool operator==(const LockDifference&) const = default;
};

/// "`numpy`: 1.26.4 -> 2.0.0", "`numpy` 2.0.0 is new", "`numpy` 1.26.4 is gone".
std::string to_text(const LockDifference& difference);

/// How a request differs from what was asked when it was locked; empty when nothing does.
std::vector<LockDifference> request_differences(const Lock& locked, const Request& now);

/// How the packages of another resolution differ; two builds of one version differ by file or hash.
std::vector<LockDifference> package_differences(const Resolution& locked, const Resolution& now);

}  // namespace pinwheel::env
