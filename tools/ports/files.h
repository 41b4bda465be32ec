#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace pinwheel::ports {

enum class FileType { missing, regular, directory, symlink, other };

struct FileStatus {
  FileType type = FileType::missing;
  uint64_t size = 0;
  uint32_t mode = 0;  ///< permission bits
};

/// A lock on a file, held until destruction; another process that requests it waits or is refused.
class FileLock {
 public:
  FileLock() = default;
  virtual ~FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
};

enum class IfLocked { wait, fail };

/// The file system. Errors are of kind `environment` (disk full, permission) or `config` (a missing
/// input), name the path, and have a hint.
class Files {
 public:
  Files() = default;
  virtual ~Files() = default;
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  /// All of a regular file, or of a pipe that the caller named by its descriptor. `config` for any
  /// other kind of file, and for more bytes than the limit.
  Result<std::string> read(const std::filesystem::path& path,
                           const ByteLimit& limit = limits::kFile) {
    return read_up_to(path, limit);
  }
  /// Replaces `path` atomically: temporary file, fsync, rename, fsync of the directory. Creates
  /// parent directories.
  virtual Done write(const std::filesystem::path& path, std::string_view bytes,
                     uint32_t mode = 0644) = 0;
  /// Does not follow a symbolic link; a missing path is a value, not an error.
  virtual Result<FileStatus> status(const std::filesystem::path& path) = 0;
  /// The type of a path's target: follows symbolic links. Missing for a target that cannot be
  /// accessed.
  virtual FileType resolved_type(const std::filesystem::path& path) {
    const Result<FileStatus> found = status(path);
    return found ? found->type : FileType::missing;
  }
  /// The absolute path without symbolic links, as far as it exists.
  virtual Result<std::filesystem::path> without_links(const std::filesystem::path& path) {
    return path.lexically_normal();
  }
  /// The names in a directory, sorted.
  virtual Result<std::vector<std::string>> list(const std::filesystem::path& path) = 0;
  virtual Done make_directories(const std::filesystem::path& path) = 0;
  /// Succeeds when the path is missing.
  virtual Done remove_all(const std::filesystem::path& path) = 0;
  virtual Done rename(const std::filesystem::path& from, const std::filesystem::path& to) = 0;
  virtual Result<uint64_t> free_bytes(const std::filesystem::path& path) = 0;
  /// An exclusive advisory lock on `path`, which is created when missing. With `fail`, a held lock
  /// is an `environment` error that names the holder's process id when it is known.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::filesystem::path& path,
                                                 IfLocked if_locked) = 0;
  /// A lock that others may share and that excludes the exclusive one. Waits until an exclusive
  /// lock is released. Creates a missing file.
  virtual Result<std::unique_ptr<FileLock>> share_lock(const std::filesystem::path& path) = 0;

 private:
  virtual Result<std::string> read_up_to(const std::filesystem::path& path,
                                         const ByteLimit& limit) = 0;
};

}  // namespace pinwheel::ports
