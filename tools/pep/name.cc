#include "pep/name.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::pep {
namespace {

std::string with_separator(std::string_view name, char separator) {
  std::string result;
  bool in_run = false;
  for (const char c : to_lower(name)) {
    const bool separates = is_separator(c);
    if (!separates) result += c;
    if (separates && !in_run) result += separator;
    in_run = separates;
  }
  return result;
}

}  // namespace

bool is_valid_name(std::string_view name) {
  return !name.empty() && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_alphanumeric(c) || is_separator(c); });
}

std::string normalize_name(std::string_view name) {
  return with_separator(name, '-');
}

std::string escape_name(std::string_view name) {
  return with_separator(name, '_');
}

}  // namespace pinwheel::pep
