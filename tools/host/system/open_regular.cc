#include "host/system/open_regular.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadPiece = 1 << 20;

/// Whether the path names a descriptor that this process was started with.
bool names_descriptor(const std::string& path) {
  if (path == "/dev/stdin") return true;
  std::string_view number(path);
  for (const std::string_view directory : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!number.starts_with(directory)) continue;
    number.remove_prefix(directory.size());
    // A name below a descriptor is a file that somebody else may have made.
    return !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  }
  return false;
}

bool is_readable_kind(const struct stat& status, const std::string& path) {
  if (S_ISREG(status.st_mode)) return true;
  if (S_ISCHR(status.st_mode)) return status.st_rdev == makedev(1, 3);  // /dev/null
  return S_ISFIFO(status.st_mode) && names_descriptor(path);
}

Error not_regular(const fs::path& path) {
  return {ErrorKind::config, fmt::format("{} is not a regular file", quoted(path.string()))};
}

/// Reads until the end or until there are more than `most` bytes; returns 0 or an errno value.
int read_up_to(int fd, uint64_t most, size_t guess, std::string& bytes) {
  std::string piece(std::clamp<size_t>(guess + 1, 4096, kReadPiece), '\0');
  while (bytes.size() <= most) {
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return 0;
    bytes.append(piece, 0, static_cast<size_t>(got));
  }
  return 0;
}

Result<std::string> read_all(const UniqueFd& fd, const fs::path& path, const ByteLimit& limit) {
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error("read", path, errno));
  // The size is only an initial guess: files in /proc report 0, and a file may grow while being
  // read.
  const auto size = static_cast<uint64_t>(status.st_size);
  std::string bytes;
  const int number = size > limit.most ? 0 : read_up_to(fd.get(), limit.most, size, bytes);
  if (number != 0) return fail(system_error("read", path, number));
  if (std::max<uint64_t>(size, bytes.size()) > limit.most) {
    Error error = too_large(quoted(path.string()), limit);
    error.kind = ErrorKind::config;
    return fail(std::move(error));
  }
  return bytes;
}

}  // namespace

Result<UniqueFd> open_regular_file(const fs::path& path) {
  // A FIFO would otherwise wait for a writer.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  // A socket, or a device that does not exist.
  if (!fd.valid() && (errno == ENXIO || errno == ENODEV)) return fail(not_regular(path));
  if (!fd.valid()) return fail(system_error("read", path, errno));
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error("read", path, errno));
  if (S_ISDIR(status.st_mode)) return fail(system_error("read", path, EISDIR));
  if (!is_readable_kind(status, path.string())) return fail(not_regular(path));
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return fail(system_error("read", path, errno));
  }
  return fd;
}

Result<std::string> read_regular_file(const fs::path& path, const ByteLimit& limit) {
  TRY(const UniqueFd fd, open_regular_file(path));
  return read_all(fd, path, limit);
}

Result<std::string> read_plain_file(const fs::path& path, const ByteLimit& limit) {
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return fail(system_error("read", path, errno));
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error("read", path, errno));
  if (!S_ISREG(status.st_mode)) return fail(not_regular(path));
  return read_all(fd, path, limit);
}

std::string first_bytes(const fs::path& path, size_t most) {
  const Result<UniqueFd> fd = open_regular_file(path);
  std::string bytes;
  if (fd) read_up_to(fd->get(), most - 1, most, bytes);
  bytes.resize(std::min(bytes.size(), most));
  return bytes;
}

}  // namespace pinwheel::host
