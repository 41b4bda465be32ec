#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel {

/// The little-endian number of type T at `offset`; nullopt if the bytes end before it does.
template <class T>
std::optional<T> load_le(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) return std::nullopt;
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    const uint64_t byte = static_cast<unsigned char>(bytes[offset + i]);
    value = static_cast<T>(value | static_cast<T>(byte << (8 * i)));
  }
  return value;
}

/// Reads consecutive little-endian numbers and strings. After a read past the end `ok()` is false
/// and every read returns zero or an empty string, so a parser checks once, after reading.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes, uint64_t offset = 0)
      : bytes_(bytes), offset_(offset) {}

  uint8_t u8() { return number<uint8_t>(); }
  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }

  std::string_view text(uint64_t length) {
    if (!ok_ || offset_ > bytes_.size() || length > bytes_.size() - offset_) {
      ok_ = false;
      return {};
    }
    const std::string_view part = bytes_.substr(offset_, length);
    offset_ += length;
    return part;
  }

  bool ok() const { return ok_; }
  uint64_t offset() const { return offset_; }
  uint64_t left() const { return ok_ && offset_ <= bytes_.size() ? bytes_.size() - offset_ : 0; }

 private:
  template <class T>
  T number() {
    const std::optional<T> value = ok_ ? load_le<T>(bytes_, offset_) : std::nullopt;
    ok_ = value.has_value();
    offset_ += sizeof(T);
    return value.value_or(0);
  }

  std::string_view bytes_;
  uint64_t offset_;
  bool ok_ = true;
};

/// Appends the number in little-endian order.
template <class T>
void append_le(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) {
    out.push_back(static_cast<char>((static_cast<uint64_t>(value) >> (8 * i)) & 0xff));
  }
}

}  // namespace pinwheel
