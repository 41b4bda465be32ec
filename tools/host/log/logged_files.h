#pragma once
#include <chrono>
#include <functional>

#include "ports/clock.h"
#include "ports/files.h"
#include "ports/log.h"

namespace pinwheel::host {

/// Logs changes of the file system: `file_written`, `file_moved`, `removed`, and `locked` with the
/// time spent waiting for the lock. Reads are not logged. `on_locked` is called with that time; it
/// may be empty, and is set before the first lock.
class LoggedFiles final : public ports::Files {
 public:
  /// All must outlive the object.
  LoggedFiles(ports::Files& files, ports::Log& log, const ports::Clock& clock);

  Done write(const std::filesystem::path& path, std::string_view bytes,
             uint32_t mode = 0644) override;
  Result<ports::FileStatus> status(const std::filesystem::path& path) override;
  ports::FileType resolved_type(const std::filesystem::path& path) override;
  Result<std::filesystem::path> without_links(const std::filesystem::path& path) override;
  Result<std::vector<std::string>> list(const std::filesystem::path& path) override;
  Done make_directories(const std::filesystem::path& path) override;
  Done remove_all(const std::filesystem::path& path) override;
  Done rename(const std::filesystem::path& from, const std::filesystem::path& to) override;
  Result<uint64_t> free_bytes(const std::filesystem::path& path) override;
  Result<std::unique_ptr<ports::FileLock>> lock(const std::filesystem::path& path,
                                                ports::IfLocked if_locked) override;
  Result<std::unique_ptr<ports::FileLock>> share_lock(const std::filesystem::path& path) override;

  std::function<void(std::chrono::milliseconds waited)> on_locked = {};

 private:
  Result<std::string> read_up_to(const std::filesystem::path& path,
                                 const ByteLimit& limit) override;

  ports::Files& files_;
  ports::Log& log_;
  const ports::Clock& clock_;
};

}  // namespace pinwheel::host
