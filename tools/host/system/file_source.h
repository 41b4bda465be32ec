#pragma once
#include <filesystem>
#include <memory>

#include "host/system/unique_fd.h"
#include "ports/byte_source.h"

namespace pinwheel::host {

/// A file with random access; safe to read from several threads at once. The size is the size when
/// it was opened.
class FileSource final : public ports::ByteSource {
 public:
  /// `config` if the file is missing, `environment` if it cannot be read or is not a regular file.
  static Result<std::unique_ptr<FileSource>> open(const std::filesystem::path& path);

  /// Wraps an open file; errors refer to it as `name`. Errors as above.
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
