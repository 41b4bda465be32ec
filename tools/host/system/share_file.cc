#include "host/system/share_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "host/system/atomic_write.h"
#include "host/system/system_error.h"
#include "host/system/unique_fd.h"

namespace pinwheel::host {

namespace fs = std::filesystem;

Done share_file(const fs::path& from, const fs::path& to) {
  ::unlink(to.c_str());
  if (::link(from.c_str(), to.c_str()) == 0) return {};
  if (errno == ENOENT || errno == ENOSPC || errno == EDQUOT) {
    return fail(system_error("linked", errno == ENOENT ? from : to, errno));
  }
  std::error_code error;
  fs::copy_file(from, to, error);
  if (error) return fail(system_error("copied", to, error.value()));
  return {};
}

Done write_like(const fs::path& to, std::string_view bytes, const fs::path& like) {
  struct stat status = {};
  if (::stat(like.c_str(), &status) != 0) return fail(system_error("read", like, errno));
  ::unlink(to.c_str());
  const UniqueFd fd(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail(system_error("written", to, errno));
  if (const int number = write_all(fd.get(), bytes); number != 0) {
    return fail(system_error("written", to, number));
  }
  if (::fchmod(fd.get(), status.st_mode & 0777U) != 0) {
    return fail(system_error("written", to, errno));
  }
  return {};
}

}  // namespace pinwheel::host
