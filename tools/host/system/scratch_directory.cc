#include "host/system/scratch_directory.h"

#include <utility>

namespace pinwheel::host {

ScratchDirectory::ScratchDirectory(ports::Files& files, std::filesystem::path path)
    : files_(&files), path_(std::move(path)) {}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : files_(other.files_), path_(std::exchange(other.path_, std::filesystem::path())) {}

ScratchDirectory::~ScratchDirectory() {
  // A failure here leaves only unused scratch files in the cache.
  if (!path_.empty()) static_cast<void>(files_->remove_all(path_));
}

Result<ScratchDirectory> ScratchDirectory::make(ports::Files& files, std::filesystem::path path) {
  TRY_DONE(files.make_directories(path));
  return ScratchDirectory(files, std::move(path));
}

}  // namespace pinwheel::host
