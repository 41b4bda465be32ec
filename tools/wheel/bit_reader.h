#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"

namespace pinwheel::wheel {

/// Reads a deflate stream bit by bit, the lowest bit of each byte first. Reads past the end return
/// zeros: callers check `overrun()` before they use the bits.
class BitReader {
 public:
  explicit BitReader(std::string_view bytes, uint64_t bit = 0) : bytes_(bytes), bit_(bit) {}

  /// The next bits, at least 57 of them.
  uint64_t peek() const {
    const uint64_t byte = bit_ / 8;
    uint64_t bits = 0;
    if (const auto whole = load_le<uint64_t>(bytes_, byte)) {
      bits = *whole;
    } else {
      for (uint64_t i = 0; byte + i < bytes_.size(); ++i) {
        bits |= uint64_t{static_cast<unsigned char>(bytes_[byte + i])} << (8 * i);
      }
    }
    return bits >> (bit_ % 8);
  }
  void skip(unsigned bits) { bit_ += bits; }
  /// At most 32 bits.
  uint32_t take(unsigned bits) {
    const uint64_t value = peek() & ((uint64_t{1} << bits) - 1);
    skip(bits);
    return static_cast<uint32_t>(value);
  }
  /// Consumes bytes from the next byte boundary on: `length` of them, or all that are left.
  std::string_view take_bytes(uint64_t length) {
    const uint64_t at = std::min<uint64_t>((bit_ + 7) / 8, bytes_.size());
    const std::string_view taken = bytes_.substr(at, length);
    bit_ = (at + taken.size()) * 8;
    return taken;
  }

  uint64_t position() const { return bit_; }
  bool overrun() const { return bit_ > bytes_.size() * 8; }
  /// Whether the next byte boundary is the end of the stream.
  bool at_end() const { return (bit_ + 7) / 8 == bytes_.size(); }

 private:
  std::string_view bytes_;
  uint64_t bit_;
};

}  // namespace pinwheel::wheel
