#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ports/byte_source.h"

namespace pinwheel::binary {

/// A range of a file, read through a buffer: iterating over small records takes few reads and
/// little memory, whatever the size of the range. The source must outlive it.
class Window {
 public:
  /// The range must lie inside the source.
  Window(const ports::ByteSource& source, uint64_t offset, uint64_t size)
      : source_(&source), start_(offset), size_(size) {}

  uint64_t size() const { return size_; }
  /// The offset of the range in the source.
  uint64_t start() const { return start_; }

  /// A part of the range, which must lie inside it, with a buffer of its own.
  Window part(uint64_t offset, uint64_t size) const { return {*source_, start_ + offset, size}; }

  /// Exactly `length` bytes at `offset` of the range, valid until the next call; kind `check` when
  /// they are out of range.
  Result<std::string_view> at(uint64_t offset, uint64_t length) {
    if (offset > size_ || length > size_ - offset) {
      return fail(ErrorKind::check,
                  "the device code ends before the data that its headers describe");
    }
    if (offset < buffer_at_ || offset + length > buffer_at_ + buffer_.size()) {
      TRY(buffer_,
          source_->read(start_ + offset, std::min(std::max(length, kBuffer), size_ - offset)));
      buffer_at_ = offset;
    }
    return std::string_view(buffer_).substr(offset - buffer_at_, length);
  }

  /// The offset of the first nonzero byte at or after `offset`; `size()` if there is none.
  Result<uint64_t> skip_zeros(uint64_t offset) {
    while (offset < size_) {
      const uint64_t length = std::min(kBuffer, size_ - offset);
      TRY(const std::string_view bytes, at(offset, length));
      const size_t found = bytes.find_first_not_of('\0');
      if (found != std::string_view::npos) return offset + found;
      offset += length;
    }
    return size_;
  }

 private:
  static constexpr uint64_t kBuffer = 65536;

  const ports::ByteSource* source_;
  uint64_t start_;
  uint64_t size_;
  std::string buffer_;
  uint64_t buffer_at_ = 0;
};

}  // namespace pinwheel::binary
