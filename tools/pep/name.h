#pragma once
#include <string>
#include <string_view>

namespace pinwheel::pep {

/// `.`, `-` or `_`, which are equivalent in names and versions.
constexpr bool is_separator(char c) {
  return c == '.' || c == '-' || c == '_';
}

/// Whether the text is a valid project name (PEP 508: letters, digits, `.`, `-`, `_`, with a letter
/// or digit at both ends).
bool is_valid_name(std::string_view name);

/// The form in which indexes compare names (PEP 503): lower case, each run of `-`, `_`, `.`
/// replaced by one `-`.
std::string normalize_name(std::string_view name);

/// The form used in file names (binary distribution format): as `normalize_name`, but with `_`.
std::string escape_name(std::string_view name);

}  // namespace pinwheel::pep
