#pragma once
#include <string>
#include <variant>
#include <vector>

#include "host/provision/env_resolve.h"
#include "plan/frozen.h"
#include "plan/locks.h"
#include "plan/origin.h"

namespace pinwheel::cli {

using host::Refresh;

/// A plan that `plan --out` froze. Matrix, source and images must be those that were frozen, else
/// `drift`.
struct FromFrozenPlan {
  plan::FrozenPlan plan;
  std::string matrix_digest;  ///< sha256 of the matrix file as it is now
  Refresh refresh = Refresh::no;
};

/// A run to repeat, with its packages and the variables that decided its builds. Warnings name what
/// differs here: the source, the matrix, the compiler, the Python, an image.
struct FromRun {
  plan::RunOrigin origin;
  std::string matrix_digest;  ///< sha256 of the matrix file as it is now
};

/// The locks beside the matrix, all of which must be current, else `drift`; without a directory of
/// locks, the indexes. `refresh` against locks is `usage`: one of them must give way.
struct FromLocks {
  Refresh refresh = Refresh::no;
};

/// The indexes. Recorded resolutions are reused unless `refresh` says otherwise.
struct FromIndexes {
  Refresh refresh = Refresh::no;
};

/// The resolutions recorded here. Asks no index, makes and pulls no image; leaves out what is
/// missing.
struct FromRecord {};

enum class LockWork { write, check };

/// For `env lock`. `write`: current locks stand and everything else is resolved; with `refresh`,
/// everything is. `check`: nothing is resolved; with `refresh`, everything is, in a state directory
/// of its own, to be compared.
struct ForLocks {
  std::string directory;
  std::vector<plan::LockTarget> needed;
  LockWork work = LockWork::write;
  Refresh refresh = Refresh::no;
};

/// Where the exact packages of a run's environments come from.
using PackageSource =
    std::variant<FromFrozenPlan, FromRun, FromLocks, FromIndexes, FromRecord, ForLocks>;

enum class UseLocks { yes, no };

/// The locks, or without them the indexes.
PackageSource locks_or_indexes(UseLocks locks, Refresh refresh = Refresh::no);

}  // namespace pinwheel::cli
