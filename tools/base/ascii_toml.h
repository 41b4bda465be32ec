#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel {

/// TOML with an escape in place of each non-ASCII character: equivalent in basic strings and
/// comments, and still invalid elsewhere. nullopt if the text is not UTF-8.
std::optional<std::string> to_ascii_toml(std::string_view text);

}  // namespace pinwheel
