#pragma once
#include <filesystem>
#include <memory>

#include "ports/files.h"

namespace pinwheel::host {

/// An exclusive flock on `path`, which is made when missing and holds the holder's process id while
/// it is held. With `IfLocked::fail` another holder is an `environment` error that names it.
Result<std::unique_ptr<ports::FileLock>> lock_file(const std::filesystem::path& path,
                                                   ports::IfLocked if_locked);

}  // namespace pinwheel::host
