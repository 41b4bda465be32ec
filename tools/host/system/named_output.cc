#include "host/system/named_output.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "host/system/atomic_write.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {
namespace {

namespace fs = std::filesystem;

/// Writes through links; only a dangling link gets a new file.
Done write_through(const fs::path& path, std::string_view bytes) {
  constexpr mode_t kMode = 0644;
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, kMode));
  const int number = fd.valid() ? write_all(fd.get(), bytes) : errno;
  if (number == 0) return {};
  Error error = system_error("written", path, number);
  error.kind = ErrorKind::environment;
  return fail(std::move(error));
}

}  // namespace

Done write_named_output(ports::Files& files, const fs::path& path, std::string_view bytes) {
  TRY(const ports::FileStatus named, files.status(path));
  const bool plain =
      named.type == ports::FileType::missing || named.type == ports::FileType::regular;
  if (plain) return files.write(path, bytes);
  std::error_code failed;
  if (named.type == ports::FileType::symlink && fs::is_regular_file(path, failed)) {
    const fs::path target = fs::canonical(path, failed);
    if (!failed) return files.write(target, bytes);
  }
  return write_through(path, bytes);
}

}  // namespace pinwheel::host
