#include "host/system/atomic_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "base/text.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

int write_temporary(int fd, std::string_view bytes, uint32_t mode) {
  if (const int number = write_all(fd, bytes)) return number;
  if (::fchmod(fd, mode) != 0) return errno;
  return ::fsync(fd) == 0 ? 0 : errno;
}

/// Gives an unnamed file a name that does not exist yet. Returns 0 or an errno value.
int give_name(int fd, const std::filesystem::path& path) {
  const std::string unnamed = fmt::format("/proc/self/fd/{}", fd);
  const int done = ::linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  return done == 0 ? 0 : errno;
}

/// Replaces an existing file with an unnamed one. Returns 0 or an errno value.
int replace_by(int fd, const std::filesystem::path& path) {
  std::filesystem::path temporary;
  std::random_device random;
  int number = EEXIST;
  while (number == EEXIST) {
    temporary = directory_of(path) / fmt::format(".{}.{:08x}", path.filename().string(), random());
    number = give_name(fd, temporary);
  }
  if (number == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) {
    number = errno;
    ::unlink(temporary.c_str());
  }
  return number;
}

/// Writes to a file without a name until it is complete, so that a killed process leaves nothing.
/// Returns 0 or an errno value; nullopt if the file system has no unnamed files.
std::optional<int> write_unnamed(const std::filesystem::path& path, std::string_view bytes,
                                 uint32_t mode) {
  const UniqueFd fd(::open(directory_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!fd.valid()) return std::nullopt;
  if (const int number = write_temporary(fd.get(), bytes, mode)) return number;
  const int number = give_name(fd.get(), path);
  if (number == EEXIST) return replace_by(fd.get(), path);
  if (number != 0) return std::nullopt;
  return 0;
}

/// The same with a named temporary file.
int write_named(const std::filesystem::path& path, std::string_view bytes, uint32_t mode) {
  std::string temporary =
      (directory_of(path) / fmt::format(".{}.XXXXXX", path.filename().string())).string();
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  int number = fd.valid() ? write_temporary(fd.get(), bytes, mode) : errno;
  if (number == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) number = errno;
  if (number != 0 && fd.valid()) ::unlink(temporary.c_str());
  return number;
}

}  // namespace

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return 0;
}

Done sync_directory(const std::filesystem::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail(system_error("opened", directory, errno));
  // Some file systems do not support fsync on directories and order the rename themselves.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) {
    return fail(system_error("made durable", directory, errno));
  }
  return {};
}

Done atomic_write(const std::filesystem::path& path, std::string_view bytes, uint32_t mode) {
  std::optional<int> number = write_unnamed(path, bytes, mode);
  if (!number) number = write_named(path, bytes, mode);
  if (*number == 0) return sync_directory(directory_of(path));
  Error error =
      system_error(fmt::format("written ({})", format_bytes(bytes.size())), path, *number);
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

}  // namespace pinwheel::host
