#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "env/lock.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "plan/locks.h"
#include "ports/files.h"
#include "ports/notices.h"
#include "prepare/package_source.h"
#include "prepare/packages.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The state of a lock file relative to the current matrix.
enum class LockState { current, missing, stale, damaged, orphan, written };

std::string_view to_string(LockState state);

/// A file of the lock directory.
struct LockFile {
  plan::LockTarget target;  ///< only the file for an orphan
  LockState state = LockState::current;
  std::vector<env::LockDifference> differences = {};  ///< why it is stale
  std::optional<Error> damage = {};
  std::optional<env::Lock> lock = {};  ///< contents of the file, if it can be read
};

/// The error for a lock that is not current.
Error to_error(const LockFile& lock);

/// The error that stops a run: every lock that is not current, with a hint. `all` must contain at
/// least one.
Error out_of_date(const std::string& directory, const std::string& matrix,
                  const std::vector<LockFile>& all);

/// The record of an image for a lock.
env::LockedImage locked_image(const container::ContainerImage& image);

/// The release of an installed toolkit for a build; empty if the build uses one made from packages.
/// For builds outside the selection, which have no facts, it is looked up on this machine.
std::string found_release(const host::EnvMachine& machine, const plan::PlanFacts& facts,
                          const env::Request& build);

/// If the matrix has a directory of locks, they decide the packages of the run: records them all
/// and returns their requests, or fails with `drift`. Without that directory, returns nothing.
/// `refresh` with locks is `usage`, because they contradict each other.
Result<Decided> apply_locks(const RunView& run, Refresh refresh, ports::Notices& notices);

/// The packages that `env lock` writes or compares, and the state of each lock.
struct LockedPackages {
  Packages packages = {};
  std::vector<LockFile> locks = {};  ///< of the selection; without those not needed on this machine
};

/// Finds them as `for_locks` requests (prepare/package_source.h); writes no lock.
Result<LockedPackages> packages_for_locks(const RunView& run, const ForLocks& for_locks,
                                          ports::Notices& notices);

}  // namespace pinwheel::prepare
