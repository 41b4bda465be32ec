#include "pep/tag_pattern.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::pep {
namespace {

/// The length of a pattern for one character at the beginning, `?` or `[...]`; 0 for none.
size_t one_character(std::string_view glob) {
  if (glob.starts_with('?')) return 1;
  if (!glob.starts_with('[')) return 0;
  // A closing bracket in first position is one of the characters.
  const size_t first = glob.size() > 1 && (glob[1] == '!' || glob[1] == '^') ? 2 : 1;
  const size_t end = glob.find(']', first + 1);
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

std::optional<std::string_view> TagPattern::version_in(std::string_view name) const {
  if (name.size() < before.size() + after.size() || !glob_match(glob, name)) return std::nullopt;
  return name.substr(before.size(), name.size() - before.size() - after.size());
}

Result<TagPattern> parse_tag_pattern(std::string_view glob) {
  constexpr std::string_view kSpecial = "*?[]{}\\";
  const size_t begin = std::min(glob.find_first_of(kSpecial), glob.size());
  size_t at = begin;
  while (const size_t length = one_character(glob.substr(at))) at += length;
  const std::string_view rest = glob.substr(at);
  if (rest.starts_with('*') && rest.find_first_of(kSpecial, 1) == std::string_view::npos) {
    return TagPattern{std::string(glob), std::string(glob.substr(0, begin)),
                      std::string(rest.substr(1))};
  }
  return fail(ErrorKind::config, "tag pattern " + quoted(glob) + " must have exactly one `*`",
              "the `*` matches the version: `v*`, `pkg-v*`, `v[0-9]*`");
}

}  // namespace pinwheel::pep
