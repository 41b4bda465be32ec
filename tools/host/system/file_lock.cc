#include "host/system/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "base/text.h"
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

/// One of several; the file does not say whose.
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

}  // namespace

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

Result<std::unique_ptr<ports::FileLock>> share_lock_of(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CREAT | O_CLOEXEC, 0644));
  if (!fd.valid()) return fail(system_error("opened", path, errno));
  while (::flock(fd.get(), LOCK_SH) != 0) {
    if (errno != EINTR) return fail(system_error("locked", path, errno));
  }
  return std::unique_ptr<ports::FileLock>(std::make_unique<SharedLock>(std::move(fd)));
}

}  // namespace pinwheel::host
