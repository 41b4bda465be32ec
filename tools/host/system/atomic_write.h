#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace pinwheel::host {

/// Replaces `path` as a whole and for good: a temporary file in the same directory, fsync, rename,
/// fsync of the directory. On an error the old file is as it was and the temporary one is gone; the
/// error is of kind `environment` and names the path and the bytes that were to be written.
Done atomic_write(const std::filesystem::path& path, std::string_view bytes, uint32_t mode);

/// Makes a directory's entries durable.
Done sync_directory(const std::filesystem::path& directory);

/// Writes all of `bytes`, going on after short writes; errno's value, or 0.
int write_all(int fd, std::string_view bytes);

}  // namespace pinwheel::host
