#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pinwheel {

/// The alphabets of RFC 4648: section 4, with padding, and section 5, without.
enum class Base64 { padded, url };

/// The bytes of a base64 text; nullopt for any other text.
std::optional<std::string> from_base64(std::string_view text, Base64 alphabet);

}  // namespace pinwheel
