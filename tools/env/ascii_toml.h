#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel::env {

/// TOML with an escape in the place of each character beyond ASCII: the same where these stand in
/// basic strings and comments, and wrong TOML elsewhere, as before. nullopt when it is no UTF-8.
std::optional<std::string> to_ascii_toml(std::string_view text);

}  // namespace pinwheel::env
