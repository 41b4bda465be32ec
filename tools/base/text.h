#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel {

std::string_view trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// ASCII only, whatever the locale.
std::string to_lower(std::string_view text);
/// The part after the last slash of a path or URL; the whole text when there is none.
constexpr std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}
/// A URL or a path without the slashes at its end; "" of "/".
constexpr std::string_view without_trailing_slashes(std::string_view path) {
  return path.substr(0, path.find_last_not_of('/') + 1);  // npos + 1 is 0
}
/// ASCII only, whatever the locale. Inline because a large matrix parses tens of thousands of
/// versions.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// The value stored under `name`, or an empty string.
std::string value_at(const std::map<std::string, std::string>& values, const std::string& name);
std::string replace_all(std::string text, std::string_view from, std::string_view to);

/// Shell-style glob over the whole text: `*`, `?`, `[abc]`, `[!a-c]`, and alternatives,
/// `{a,b{c,d}}` (base/braces).
bool glob_match(std::string_view pattern, std::string_view text);
/// Whether the text holds a character that `glob_match` treats as special.
bool is_glob(std::string_view text);

/// The candidate with the smallest edit distance, if it is close enough to be the intended one.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);
/// "did you mean `x`?", or "expected one of `a`, `b`", each candidate once, or "" without
/// candidates; for use as a hint.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

/// The text in back-ticks, made visible on one line (`base/visible_text`): it may come from
/// outside. One overload per argument type, because argument-dependent lookup also finds
/// `std::quoted`, and only an exact match wins over it.
std::string quoted(std::string_view text);
std::string quoted(const std::string& text);
std::string quoted(std::string& text);
std::string quoted(const char* text);
/// Names in back-ticks, joined by commas.
std::string quoted_list(const std::vector<std::string>& names);

/// One argument quoted for a POSIX shell; unchanged when it has no special characters.
std::string shell_quote(std::string_view argument);
/// A whole argv, quoted.
std::string shell_join(const std::vector<std::string>& argv);

/// "612 B", "4.3 KB", "105 MB": powers of 1000, three significant digits.
std::string format_bytes(uint64_t bytes);
/// "0.4s", "12s", "3m05s", "1h02m".
std::string format_duration(std::chrono::milliseconds elapsed);
/// "1 build", "4 builds".
std::string plural(size_t count, std::string_view noun);

/// "100 MB" (powers of 1000), "4 GiB" (powers of 1024), "512"; nullopt when it is none of these, or
/// more than any disk has.
std::optional<uint64_t> parse_bytes(std::string_view text);
/// "5s", "3 h", "90 min", "2m", "1d"; nullopt when it is none of these, or more than a century.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

}  // namespace pinwheel
