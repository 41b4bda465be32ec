#include "base/utf8.h"

namespace pinwheel {
namespace {

constexpr char32_t kLargest = 0x10ffff;

/// The smallest code point that needs this many bytes.
constexpr char32_t smallest(size_t length) {
  if (length == 2) return 0x80;
  return length == 3 ? 0x800 : 0x10000;
}

constexpr bool is_surrogate(char32_t code) {
  return code >= 0xd800 && code <= 0xdfff;
}

}  // namespace

Utf8Character first_utf8(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) return {first, 1};
  size_t length = 0;
  if ((first & 0xe0U) == 0xc0U) length = 2;
  if ((first & 0xf0U) == 0xe0U) length = 3;
  if ((first & 0xf8U) == 0xf0U) length = 4;
  if (length == 0 || text.size() < length) return {};
  char32_t code = first & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0U) != 0x80U) return {};
    code = (code << 6U) | (byte & 0x3fU);
  }
  if (code < smallest(length) || code > kLargest || is_surrogate(code)) return {};
  return {code, length};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = first_utf8(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace pinwheel
