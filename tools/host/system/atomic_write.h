#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace pinwheel::host {

/// Replaces `path` atomically and durably: a file without a name in the same directory, fsync, its
/// name (by a rename if there was a file), fsync of the directory. A process that is killed leaves
/// nothing, except between the last two steps, or where the file system has no unnamed files. On an
/// error the old file is unchanged and the temporary file is removed; the error is of kind
/// `environment` and names the path and the number of bytes to be written.
Done atomic_write(const std::filesystem::path& path, std::string_view bytes, uint32_t mode);

/// Makes a directory's entries durable.
Done sync_directory(const std::filesystem::path& directory);

/// Writes all of `bytes`, continuing after short writes. Returns 0 or an errno value.
int write_all(int fd, std::string_view bytes);

}  // namespace pinwheel::host
