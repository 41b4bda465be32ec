#include "host/system/pending_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/parse_integer.h"
#include "host/system/atomic_write.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// The process id in ".demo-1.0.whl.4711"; 0 if the name is not that of a pending wheel or sdist.
pid_t owner_of(const std::string& name) {
  const size_t dot = name.rfind('.');
  if (!name.starts_with('.') || dot == 0) return 0;
  const std::string file = name.substr(1, dot - 1);
  if (!file.ends_with(".whl") && !file.ends_with(".tar.gz")) return 0;
  const pid_t pid = parse_integer(std::string_view(name).substr(dot + 1)).value_or(0);
  return std::max(pid, 0);
}

/// Both are checked: a process id may be reused, or belong to another container that shares the
/// directory, and a new file is not locked yet just after it was opened.
bool is_left(const fs::path& path, pid_t owner) {
  if (owner == ::getpid() || ::kill(owner, 0) == 0 || errno == EPERM) return false;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return fd.valid() && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0;
}

/// A new file: the name can be guessed, and a file of another user must not be written to.
UniqueFd open_new(const fs::path& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd fd(::open(path.c_str(), kFlags, 0666));
  if (fd.valid() || errno != EEXIST) return fd;
  // Left by a killed process that had the same id.
  if (::unlink(path.c_str()) != 0) return fd;
  return UniqueFd(::open(path.c_str(), kFlags, 0666));
}

}  // namespace

PendingFile::PendingFile(fs::path target)
    : target_(std::move(target)),
      temporary_(target_.parent_path() /
                 fmt::format(".{}.{}", target_.filename().string(), ::getpid())),
      fd_(open_new(temporary_)),
      open_error_(fd_.valid() ? 0 : errno) {
  // Some file systems have no locks; then only the process id counts.
  if (fd_.valid()) static_cast<void>(::flock(fd_.get(), LOCK_EX | LOCK_NB));
}

PendingFile::~PendingFile() {
  std::error_code ignored;
  if (fd_.valid() && !committed_) fs::remove(temporary_, ignored);
}

Done PendingFile::write(std::string_view bytes) {
  const int number = fd_.valid() ? write_all(fd_.get(), bytes) : open_error_;
  if (number != 0) return unwritable(number);
  return {};
}

Done PendingFile::commit() {
  if (!fd_.valid()) return unwritable(open_error_);
  if (::fsync(fd_.get()) != 0) return unwritable(errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return unwritable(errno);
  committed_ = true;
  return sync_directory(target_.parent_path());
}

tl::unexpected<Error> PendingFile::unwritable(int number) const {
  Error error = system_error("written", target_, number);
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

void remove_leftovers(const fs::path& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    const pid_t owner = owner_of(entry.path().filename().string());
    if (owner != 0 && is_left(entry.path(), owner)) fs::remove(entry.path(), ignored);
  }
}

UnnamedFile::UnnamedFile(std::filesystem::path directory)
    : directory_(std::move(directory)),
      fd_(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)),
      errno_(fd_.valid() ? 0 : errno) {}

void UnnamedFile::write(std::string_view bytes) {
  if (errno_ == 0) errno_ = write_all(fd_.get(), bytes);
}

void UnnamedFile::write_at(uint64_t offset, std::string_view bytes) {
  while (errno_ == 0 && !bytes.empty()) {
    const ssize_t done =
        ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) {
      errno_ = errno;
      return;
    }
    offset += static_cast<uint64_t>(done);
    bytes.remove_prefix(static_cast<size_t>(done));
  }
}

Done UnnamedFile::resize(uint64_t size) {
  if (errno_ == 0 && ::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0) errno_ = errno;
  return written();
}

Done UnnamedFile::written() const {
  if (errno_ == 0) return {};
  return fail(system_error("write", directory_, errno_));
}

}  // namespace pinwheel::host
