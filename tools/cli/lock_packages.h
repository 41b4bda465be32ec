#pragma once
#include <vector>

#include "base/result.h"
#include "cli/locks.h"
#include "cli/package_source.h"
#include "cli/packages.h"
#include "cli/run_scope.h"
#include "cli/streams.h"

namespace pinwheel::cli {

/// The packages that `env lock` writes or compares, and the state of each lock.
struct LockedPackages {
  Packages packages = {};
  std::vector<LockFile> locks = {};  ///< of the selection; without those not needed on this machine
};

/// Finds them according to `work` (cli/package_source.h); writes no lock.
Result<LockedPackages> packages_for_locks(const RunView& run, const ForLocks& what,
                                          Streams& streams);

}  // namespace pinwheel::cli
