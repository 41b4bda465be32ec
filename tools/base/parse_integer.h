#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace pinwheel {

/// The whole text as a decimal number, "-2"; nullopt for anything else, including a number that is
/// too large.
std::optional<int> parse_integer(std::string_view text);
/// The same without a sign, up to 2^64 - 1.
std::optional<uint64_t> parse_unsigned(std::string_view text);

}  // namespace pinwheel
