#include "base/parse_integer.h"

#include <charconv>

namespace pinwheel {
namespace {

template <class T>
std::optional<T> parse_whole(std::string_view text) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int> parse_integer(std::string_view text) {
  return parse_whole<int>(text);
}

std::optional<uint64_t> parse_unsigned(std::string_view text) {
  return parse_whole<uint64_t>(text);
}

}  // namespace pinwheel
