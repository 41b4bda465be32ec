#pragma once
#include <filesystem>
#include <memory>

#include "ports/files.h"

namespace pinwheel::host {

/// An exclusive flock on `path`, which is created if missing and contains the owner's process id
/// while locked. With `IfLocked::fail`, a lock owned by another process is an `environment` error
/// that names that process.
Result<std::unique_ptr<ports::FileLock>> lock_file(const std::filesystem::path& path,
                                                   ports::IfLocked if_locked);

/// A shared flock on `path`, which is created if missing; waits for the owner of an exclusive one.
Result<std::unique_ptr<ports::FileLock>> share_lock_of(const std::filesystem::path& path);

}  // namespace pinwheel::host
