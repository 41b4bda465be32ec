#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace pinwheel::exports {

/// Appends a number in LEB128: seven bits per byte, lowest first.
inline void append_number(std::string& out, uint64_t number) {
  for (; number >= 0x80; number >>= 7U) out.push_back(static_cast<char>((number & 0x7fU) | 0x80U));
  out.push_back(static_cast<char>(number));
}

/// Reads consecutive numbers and strings. After a read past the end, or of a number that overflows
/// 64 bits, `ok()` is false and every read returns zero.
class NumberReader {
 public:
  explicit NumberReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::string_view byte = text(1);
      if (!ok_) return 0;
      const uint64_t bits = static_cast<unsigned char>(byte[0]) & 0x7fU;
      if (shift == 63 && bits > 1) break;
      value |= bits << shift;
      if ((static_cast<unsigned char>(byte[0]) & 0x80U) == 0) return value;
    }
    stop();
    return 0;
  }
  /// The number of items that follow, each at least `least` bytes long; fails when they cannot fit
  /// the remaining bytes.
  uint64_t count(uint64_t least) {
    const uint64_t value = number();
    if (value > left() / least) stop();
    return ok_ ? value : 0;
  }
  std::string_view text(uint64_t length) {
    if (!ok_ || length > bytes_.size()) {
      stop();
      return {};
    }
    const std::string_view part = bytes_.substr(0, length);
    bytes_.remove_prefix(length);
    return part;
  }
  void stop() { ok_ = false; }

  bool ok() const { return ok_; }
  uint64_t left() const { return bytes_.size(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

}  // namespace pinwheel::exports
