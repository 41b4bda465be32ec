#include "host/system/file_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/text.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"

namespace pinwheel::host {

FileSource::FileSource(std::filesystem::path path, UniqueFd fd, uint64_t size)
    : path_(std::move(path)), fd_(std::move(fd)), size_(size) {}

Result<std::unique_ptr<FileSource>> FileSource::open(const std::filesystem::path& path) {
  TRY(UniqueFd fd, open_regular_file(path));
  return of(std::move(fd), path);
}

Result<std::unique_ptr<FileSource>> FileSource::of(UniqueFd fd, const std::filesystem::path& path) {
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error("read", path, errno));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorKind::environment,
                fmt::format("{} is not a regular file", quoted(path.string())));
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  return std::unique_ptr<FileSource>(new FileSource(path, std::move(fd), size));
}

Result<std::string> FileSource::read(uint64_t offset, uint64_t length) const {
  if (offset > size_ || length > size_ - offset) {
    return fail(ErrorKind::check, fmt::format("{} is truncated", quoted(path_.string())));
  }
  std::string bytes(length, '\0');
  for (uint64_t done = 0; done < length;) {
    const ssize_t got =
        ::pread(fd_.get(), bytes.data() + done, length - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(system_error("read", path_, errno));
    if (got == 0) {
      return fail(ErrorKind::check,
                  fmt::format("{} was truncated while being read", quoted(path_.string())));
    }
    done += static_cast<uint64_t>(got);
  }
  return bytes;
}

}  // namespace pinwheel::host
