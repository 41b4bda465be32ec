#include "base/parse_integer.h"

#include <charconv>

namespace pinwheel {

std::optional<int> parse_integer(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

}  // namespace pinwheel
