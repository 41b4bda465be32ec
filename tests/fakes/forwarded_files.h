#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/system/files.h"

namespace pinwheel {

/// The files of this machine. Derived fakes replace single functions.
class ForwardedFiles : public ports::Files {
 public:
  Done write(const std::filesystem::path& path, std::string_view bytes,
             uint32_t mode = 0644) override {
    return files_.write(path, bytes, mode);
  }
  Result<ports::FileStatus> status(const std::filesystem::path& path) override {
    return files_.status(path);
  }
  ports::FileType resolved_type(const std::filesystem::path& path) override {
    return files_.resolved_type(path);
  }
  Result<std::filesystem::path> without_links(const std::filesystem::path& path) override {
    return files_.without_links(path);
  }
  Result<std::vector<std::string>> list(const std::filesystem::path& path) override {
    return files_.list(path);
  }
  Done make_directories(const std::filesystem::path& path) override {
    return files_.make_directories(path);
  }
  Done remove_all(const std::filesystem::path& path) override { return files_.remove_all(path); }
  Done rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    return files_.rename(from, to);
  }
  Result<uint64_t> free_bytes(const std::filesystem::path& path) override {
    return files_.free_bytes(path);
  }
  Result<std::unique_ptr<ports::FileLock>> lock(const std::filesystem::path& path,
                                                ports::IfLocked if_locked) override {
    return files_.lock(path, if_locked);
  }
  Result<std::unique_ptr<ports::FileLock>> share_lock(const std::filesystem::path& path) override {
    return files_.share_lock(path);
  }

 private:
  Result<std::string> read_up_to(const std::filesystem::path& path,
                                 const ByteLimit& limit) override {
    return files_.read(path, limit);
  }

  host::LocalFiles files_;
};

/// The files of this machine on a disk that has `free` bytes, so that a test does not depend on the
/// disk of the machine.
class FilesOfDisk final : public ForwardedFiles {
 public:
  Result<uint64_t> free_bytes(const std::filesystem::path&) override { return free; }

  uint64_t free = 1'000'000'000'000;
};

}  // namespace pinwheel
