#include "project/abi_macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace pinwheel::project {
namespace {

/// Between a macro's name and its value: `=`, spaces, quotes, a comma, C++ digit separators.
constexpr std::string_view kBetween = " \t=,\"'():";

/// The number after the macro's name at `at`.
std::optional<uint64_t> hexadecimal_after(std::string_view text, size_t at) {
  const size_t start = text.find_first_not_of(kBetween, at);
  if (start == std::string_view::npos || !text.substr(start).starts_with("0x")) {
    return std::nullopt;
  }
  uint64_t value = 0;
  const char* const first = text.data() + start + 2;
  const auto [end, error] = std::from_chars(first, text.data() + text.size(), value, 16);
  if (error != std::errc() || end == first) return std::nullopt;
  return value;
}

/// The newest value of a macro, whose first byte is the major and whose second is the minor
/// version.
std::string version_in(std::string_view text, std::string_view macro, int major_shift) {
  uint64_t newest = 0;
  for (size_t at = text.find(macro); at != std::string_view::npos; at = text.find(macro, at + 1)) {
    newest = std::max(newest, hexadecimal_after(text, at + macro.size()).value_or(0));
  }
  const uint64_t major = (newest >> major_shift) & 0xff;
  if (major == 0) return {};
  return fmt::format("{}.{}", major, (newest >> (major_shift - 8)) & 0xff);
}

}  // namespace

std::string limited_api_macro(std::string_view text) {
  return version_in(text, "Py_LIMITED_API", 24);
}

std::string torch_target_macro(std::string_view text) {
  return version_in(text, "TORCH_TARGET_VERSION", 56);
}

}  // namespace pinwheel::project
