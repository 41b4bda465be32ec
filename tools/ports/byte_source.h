#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::ports {

/// Bytes that can be read at any offset: a file, a buffer, or a remote file by range requests.
class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  virtual uint64_t size() const = 0;
  /// Exactly `length` bytes at `offset`; a short read is an error (kind `check`: the file is
  /// truncated).
  virtual Result<std::string> read(uint64_t offset, uint64_t length) const = 0;
};

/// Bytes held in memory.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
  uint64_t size() const override { return bytes_.size(); }
  Result<std::string> read(uint64_t offset, uint64_t length) const override {
    if (offset > bytes_.size() || length > bytes_.size() - offset) {
      return fail(ErrorKind::check, "the file ends before the data that its headers describe");
    }
    return bytes_.substr(offset, length);
  }

 private:
  std::string bytes_;
};

}  // namespace pinwheel::ports
