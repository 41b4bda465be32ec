#pragma once
#include <filesystem>
#include <memory>

#include "host/system/unique_fd.h"
#include "ports/byte_source.h"

namespace pinwheel::host {

/// A file, read by position; it may be read from several threads at once. The size is that of the
/// moment it was opened.
class FileSource final : public ports::ByteSource {
 public:
  /// `config` when the file is missing, `environment` when it cannot be read or is no regular file.
  static Result<std::unique_ptr<FileSource>> open(const std::filesystem::path& path);

  /// An open file; `name` is what errors call it. Errors as above.
  static Result<std::unique_ptr<FileSource>> of(UniqueFd fd, const std::filesystem::path& name);

  uint64_t size() const override { return size_; }
  Result<std::string> read(uint64_t offset, uint64_t length) const override;

 private:
  FileSource(std::filesystem::path path, UniqueFd fd, uint64_t size);

  std::filesystem::path path_;
  UniqueFd fd_;
  uint64_t size_;
};

}  // namespace pinwheel::host
