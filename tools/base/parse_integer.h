#pragma once
#include <optional>
#include <string_view>

namespace pinwheel {

/// The whole text as a decimal number, "-2"; nullopt for anything else, including a number that is
/// too large.
std::optional<int> parse_integer(std::string_view text);

}  // namespace pinwheel
