#include <algorithm>

#include "base/text.h"
#include "wheel/zip_reader.h"

namespace pinwheel::wheel {
namespace {

// UTF-8 by RFC 3629, without overlong forms and surrogates: with two encodings of one name, tools
// would disagree on the members.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80U) return 1;
  if (first >= 0xc2U && first < 0xe0U) return follows(1) ? 2 : 0;
  if (first >= 0xe0U && first < 0xf0U) {
    if (!follows(1) || !follows(2)) return 0;
    const bool overlong = first == 0xe0U && byte(1) < 0xa0U;
    const bool surrogate = first == 0xedU && byte(1) >= 0xa0U;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xf0U && first < 0xf5U) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    const bool overlong = first == 0xf0U && byte(1) < 0x90U;
    const bool beyond = first == 0xf4U && byte(1) >= 0x90U;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

bool is_clean_text(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text.front());
    if (length == 0 || first < 0x20U || first == 0x7fU || first == '\\') return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

bool is_safe_member_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || !is_clean_text(name)) return false;
  if (name.size() > 1 && name[1] == ':') return false;
  std::vector<std::string> parts = split(name, '/');
  if (parts.back().empty()) parts.pop_back();  // a directory ends in a slash
  return std::none_of(parts.begin(), parts.end(), [](const std::string& part) {
    return part.empty() || part == "." || part == "..";
  });
}

}  // namespace pinwheel::wheel
