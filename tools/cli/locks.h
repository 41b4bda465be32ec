#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/packages.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "env/lock.h"
#include "env/lock_difference.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "plan/locks.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// How a lock file stands to the matrix as it is now.
enum class LockState { current, missing, stale, damaged, orphan, written };

std::string_view to_string(LockState state);

/// One file of the lock directory.
struct LockFile {
  plan::LockTarget target;  ///< of an orphan: its file alone
  LockState state = LockState::current;
  std::vector<env::LockDifference> differences = {};  ///< of a stale one: why
  std::optional<Error> damage = {};
  std::optional<env::Lock> lock = {};  ///< what the file holds, where it can be read
};

/// Reads the file of a target and compares what was asked. Asks no index. A file that cannot be
/// read as a lock is a state, not an error.
Result<LockFile> read_lock(ports::Files& files, const std::string& directory,
                           const plan::LockTarget& target, const plan::PlanFacts& facts);

/// The lock as the error that says what is wrong with it.
Error to_error(const LockFile& lock);

/// The error that stops a run: every lock that is not current, and the mend. `all` must hold one.
Error out_of_date(const std::string& directory, const std::string& matrix,
                  const std::vector<LockFile>& all);

/// The image as a lock names it.
env::LockedImage locked_image(const env::ContainerImage& image);

/// The release of a toolkit that a build finds; empty where it takes one that is made of packages.
/// A selection gathers the facts of its own builds, and this machine answers for the others.
std::string found_release(const host::EnvMachine& machine, const plan::PlanFacts& facts,
                          const env::Request& build);

/// Whether a lock binds a run on this machine. The lock of a toolkit that PyPI may give binds only
/// where the machine has not got that toolkit.
bool binds(const host::EnvMachine& machine, const plan::LockTarget& target);

/// Records what a current lock holds as the resolution of its request. The interpreter of a venv is
/// the machine's: where its patch release is not the locked one, a warning says so.
Done record_lock(const host::EnvMachine& machine, const LockFile& lock, Streams& streams);

/// Where the matrix has a directory of locks, they decide the packages of the run: records them all
/// and returns what they decide, or stops with `drift`. Without that directory nothing is decided.
/// `refresh` against locks is `usage`: one of them must give way.
Result<Decided> apply_locks(const RunView& run, Refresh refresh, Streams& streams);

}  // namespace pinwheel::cli
