#include "host/system/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "host/system/atomic_write.h"
#include "host/system/file_lock.h"
#include "host/system/open_regular.h"
#include "host/system/system_error.h"

namespace pinwheel::host {
namespace {

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

ports::FileType LocalFiles::type_behind(const fs::path& path) {
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
