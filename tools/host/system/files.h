#pragma once
#include <filesystem>
#include <memory>

#include "ports/files.h"

namespace pinwheel::host {

/// The file system of this machine.
class LocalFiles final : public ports::Files {
 public:
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
  /// The lock is advisory (flock) and is released when the process ends for any reason; the file
  /// remains.
  Result<std::unique_ptr<ports::FileLock>> lock(const std::filesystem::path& path,
                                                ports::IfLocked if_locked) override;
  Result<std::unique_ptr<ports::FileLock>> share_lock(const std::filesystem::path& path) override;

 private:
  Result<std::string> read_up_to(const std::filesystem::path& path,
                                 const ByteLimit& limit) override;
};

}  // namespace pinwheel::host
