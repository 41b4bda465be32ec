#pragma once
#include <vector>

#include "base/result.h"
#include "ports/notices.h"
#include "prepare/locks.h"
#include "prepare/package_source.h"
#include "prepare/packages.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The packages that `env lock` writes or compares, and the state of each lock.
struct LockedPackages {
  Packages packages = {};
  std::vector<LockFile> locks = {};  ///< of the selection; without those not needed on this machine
};

/// Finds them according to `work` (prepare/package_source.h); writes no lock.
Result<LockedPackages> packages_for_locks(const RunView& run, const ForLocks& what,
                                          ports::Notices& notices);

}  // namespace pinwheel::prepare
