#include "host/system/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "host/system/atomic_write.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

class HeldLock final : public ports::FileLock {
 public:
  explicit HeldLock(UniqueFd fd) : fd_(std::move(fd)) {}
  ~HeldLock() override {
    // Truncated while the lock is still held, so that nobody reads a stale process id.
    if (::ftruncate(fd_.get(), 0) != 0) return;
  }

 private:
  UniqueFd fd_;
};

/// One of several owners; the file does not identify them.
class SharedLock final : public ports::FileLock {
 public:
  explicit SharedLock(UniqueFd fd) : fd_(std::move(fd)) {}

 private:
  UniqueFd fd_;
};

Error held_by_another(const std::filesystem::path& path, int fd) {
  std::array<char, 32> text = {};
  const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
  const std::string_view holder =
      trim(std::string_view(text.data(), static_cast<size_t>(got > 0 ? got : 0)));
  Error error;
  error.kind = ErrorKind::environment;
  error.message = holder.empty()
                      ? fmt::format("{} is locked by another process", quoted(path.string()))
                      : fmt::format("{} is locked by process {}", quoted(path.string()), holder);
  error.hint = holder.empty() ? "wait until it has ended"
                              : fmt::format("wait until process {} has ended, or stop it", holder);
  return error;
}

/// An exclusive flock on `path`, which is created if missing and contains the owner's process id
/// while locked. With `IfLocked::fail`, a lock owned by another process is an `environment` error
/// that names that process.
Result<std::unique_ptr<ports::FileLock>> lock_file(const std::filesystem::path& path,
                                                   ports::IfLocked if_locked) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(system_error("opened", path, errno));
  const int flags = if_locked == ports::IfLocked::fail ? LOCK_EX | LOCK_NB : LOCK_EX;
  while (::flock(fd.get(), flags) != 0) {
    if (errno == EWOULDBLOCK) return fail(held_by_another(path, fd.get()));
    if (errno != EINTR) return fail(system_error("locked", path, errno));
  }
  const std::string holder = fmt::format("{}\n", ::getpid());
  // The id is informational: the lock works without it, even on a full disk.
  if (::ftruncate(fd.get(), 0) == 0) {
    const ssize_t written = ::pwrite(fd.get(), holder.data(), holder.size(), 0);
    static_cast<void>(written);
  }
  return std::unique_ptr<ports::FileLock>(std::make_unique<HeldLock>(std::move(fd)));
}

/// A shared flock on `path`, which is created if missing; waits for the owner of an exclusive one.
Result<std::unique_ptr<ports::FileLock>> share_lock_of(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(system_error("opened", path, errno));
  while (::flock(fd.get(), LOCK_SH) != 0) {
    if (errno != EINTR) return fail(system_error("locked", path, errno));
  }
  return std::unique_ptr<ports::FileLock>(std::make_unique<SharedLock>(std::move(fd)));
}

namespace fs = std::filesystem;

ports::FileType type_of(mode_t mode) {
  if (S_ISREG(mode)) return ports::FileType::regular;
  if (S_ISDIR(mode)) return ports::FileType::directory;
  if (S_ISLNK(mode)) return ports::FileType::symlink;
  return ports::FileType::other;
}

}  // namespace

Result<std::string> LocalFiles::read_up_to(const fs::path& path, const ByteLimit& limit) {
  return read_regular_file(path, limit);
}

Done LocalFiles::write(const fs::path& path, std::string_view bytes, uint32_t mode) {
  if (path.has_parent_path()) TRY_DONE(make_directories(path.parent_path()));
  return atomic_write(path, bytes, mode);
}

Result<ports::FileStatus> LocalFiles::status(const fs::path& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) == 0) {
    return ports::FileStatus{type_of(status.st_mode), static_cast<uint64_t>(status.st_size),
                             status.st_mode & 07777U};
  }
  if (errno == ENOENT || errno == ENOTDIR) return ports::FileStatus{};
  return fail(system_error("examined", path, errno));
}

ports::FileType LocalFiles::resolved_type(const fs::path& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? type_of(status.st_mode) : ports::FileType::missing;
}

Result<fs::path> LocalFiles::without_links(const fs::path& path) {
  std::error_code code;
  fs::path real = fs::weakly_canonical(path, code);
  if (code) return fail(system_error("examined", path, code.value()));
  return real;
}

Result<std::vector<std::string>> LocalFiles::list(const fs::path& path) {
  std::error_code code;
  std::vector<std::string> names;
  for (fs::directory_iterator it(path, code), end; !code && it != end; it.increment(code)) {
    names.push_back(it->path().filename().string());
  }
  if (code) return fail(system_error("listed", path, code.value()));
  std::sort(names.begin(), names.end());
  return names;
}

Done LocalFiles::make_directories(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (!code) return {};
  Error error = system_error("created", path, code.value());
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

Done LocalFiles::remove_all(const fs::path& path) {
  std::error_code code;
  fs::remove_all(path, code);
  if (code) return fail(system_error("removed", path, code.value()));
  return {};
}

Done LocalFiles::rename(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return {};
  return fail(system_error(fmt::format("renamed to {}", quoted(to.string())), from, errno));
}

Result<uint64_t> LocalFiles::free_bytes(const fs::path& path) {
  struct statvfs status = {};
  if (::statvfs(path.c_str(), &status) != 0) {
    return fail(system_error("measured", path, errno));
  }
  return uint64_t{status.f_bavail} * status.f_frsize;
}

Result<std::unique_ptr<ports::FileLock>> LocalFiles::lock(const fs::path& path,
                                                          ports::IfLocked if_locked) {
  if (path.has_parent_path()) TRY_DONE(make_directories(path.parent_path()));
  return lock_file(path, if_locked);
}

Result<std::unique_ptr<ports::FileLock>> LocalFiles::share_lock(const fs::path& path) {
  return share_lock_of(path);
}

}  // namespace pinwheel::host
