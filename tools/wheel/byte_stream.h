#pragma once
#include <string_view>
#include <utility>

#include "base/result.h"

namespace pinwheel::wheel {

/// Bytes that are read once, in order.
class ByteStream {
 public:
  ByteStream() = default;
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// The next bytes, valid until the next call; empty after the last.
  virtual Result<std::string_view> next() = 0;
};

/// Bytes in memory, all at once; they must outlive it.
class TextStream final : public ByteStream {
 public:
  explicit TextStream(std::string_view bytes) : bytes_(bytes) {}
  Result<std::string_view> next() override { return std::exchange(bytes_, std::string_view()); }

 private:
  std::string_view bytes_;
};

}  // namespace pinwheel::wheel
