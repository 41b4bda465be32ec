#include "host/system/atomic_write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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
  std::string temporary =
      (directory_of(path) / fmt::format(".{}.XXXXXX", path.filename().string())).string();
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  int number = fd.valid() ? write_temporary(fd.get(), bytes, mode) : errno;
  if (number == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) number = errno;
  if (number == 0) return sync_directory(directory_of(path));
  if (fd.valid()) ::unlink(temporary.c_str());
  Error error = system_error(fmt::format("written ({})", format_bytes(bytes.size())), path, number);
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

}  // namespace pinwheel::host
