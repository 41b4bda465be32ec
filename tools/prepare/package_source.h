#pragma once
#include <string>
#include <variant>
#include <vector>

#include "host/provision/env_resolve.h"
#include "plan/frozen.h"
#include "plan/locks.h"
#include "plan/origin.h"

namespace pinwheel::prepare {

using host::Refresh;

/// A frozen plan of `plan --out`. Matrix, source and images must match the frozen ones, else
/// `drift`.
struct FromFrozenPlan {
  plan::FrozenPlan plan;
  std::string matrix_digest;  ///< sha256 of the current matrix file
  Refresh refresh = Refresh::no;
};

/// A run to repeat, with its packages and the variables that affected its builds. Warns about
/// differences from this machine: the source, the matrix, the compiler, the Python, an image.
struct FromRun {
  plan::RunOrigin origin;
  std::string matrix_digest;  ///< sha256 of the current matrix file
};

/// The locks of the matrix, all of which must be current, else `drift`; without a directory of
/// locks, the indexes. `refresh` with locks is `usage`, because they contradict each other.
struct FromLocks {
  Refresh refresh = Refresh::no;
};

/// The indexes. Recorded resolutions are reused unless `refresh` is set.
struct FromIndexes {
  Refresh refresh = Refresh::no;
};

/// The resolutions recorded here. Uses no index, makes and pulls no image; omits missing ones.
struct FromRecord {};

enum class LockWork { write, check };

/// For `env lock`. `write`: current locks stay and everything else is resolved; with `refresh`,
/// everything is resolved, and with `upgraded`, those packages of current locks. `check`: nothing
/// is resolved; with `refresh`, everything is resolved in a separate state directory, for
/// comparison.
struct ForLocks {
  std::string directory;
  std::vector<plan::LockTarget> needed;
  LockWork work = LockWork::write;
  Refresh refresh = Refresh::no;
  std::vector<pep::Requirement> upgraded = {};
};

/// The source of the exact packages of a run's environments.
using PackageSource =
    std::variant<FromFrozenPlan, FromRun, FromLocks, FromIndexes, FromRecord, ForLocks>;

enum class UseLocks { yes, no };

/// The locks, or the indexes if locks are not used.
inline PackageSource locks_or_indexes(UseLocks locks, Refresh refresh = Refresh::no) {
  if (locks == UseLocks::no) return FromIndexes{refresh};
  return FromLocks{refresh};
}

}  // namespace pinwheel::prepare
