#pragma once
#include <cstddef>
#include <string_view>

namespace pinwheel {

/// A character at the start of a text: its code point and its bytes.
struct Utf8Character {
  char32_t code = 0;
  size_t length = 0;
};

/// The first character by RFC 3629, without overlong forms and surrogates; length 0 if the text is
/// empty or begins with anything else.
Utf8Character first_utf8(std::string_view text);

/// Whether all of the text is UTF-8, as JSON requires it.
bool is_utf8(std::string_view text);

}  // namespace pinwheel
