#pragma once
#include <string>
#include <string_view>

namespace pinwheel::pep {

/// `.`, `-` or `_`, which names and versions take for one another.
constexpr bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_';
}

/// Whether the text may name a project (PEP 508: letters, digits, `.`, `-`, `_`, with a letter or
/// digit at both ends).
bool is_valid_name(std::string_view name);

/// The form under which indexes compare names (PEP 503): lower case, each run of `-`, `_`, `.` one
/// `-`.
std::string normalize_name(std::string_view name);

/// The form that file names hold (binary distribution format): as `normalize_name`, with `_`.
std::string escape_name(std::string_view name);

}  // namespace pinwheel::pep
