#include "base/ascii_toml.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace pinwheel {
namespace {

struct Utf8Lead {
  unsigned char mask;  ///< the bits that encode the length
  unsigned char value;
  size_t more;  ///< bytes that follow
  uint32_t least;
};
constexpr std::array<Utf8Lead, 3> kUtf8Leads = {
    {{0xe0, 0xc0, 1, 0x80}, {0xf0, 0xe0, 2, 0x800}, {0xf8, 0xf0, 3, 0x10000}}};

/// Removes and returns the first character of the text, which is not ASCII.
std::optional<uint32_t> take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  for (const Utf8Lead& lead : kUtf8Leads) {
    if ((first & lead.mask) != lead.value || text.size() <= lead.more) continue;
    uint32_t character = first & static_cast<unsigned char>(~lead.mask);
    for (size_t i = 1; i <= lead.more; ++i) {
      const auto next = static_cast<unsigned char>(text[i]);
      if ((next & 0xc0U) != 0x80) return std::nullopt;
      character = character << 6U | (next & 0x3fU);
    }
    text.remove_prefix(lead.more + 1);
    if (character < lead.least) return std::nullopt;
    return character;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> to_ascii_toml(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::optional<uint32_t> character = take_character(text);
    if (!character) return std::nullopt;
    out += fmt::format("\\U{:08X}", *character);
  }
  return out;
}

}  // namespace pinwheel
