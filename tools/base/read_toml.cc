#include "base/read_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/text.h"

namespace pinwheel {
namespace {

/// The position after the string whose first quote is at `at`.
size_t end_of_toml_string(std::string_view text, size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const bool whole = text.substr(at, 3) == std::string(3, quote);
  size_t place = at + (whole ? 3 : 1);
  while (place < text.size()) {
    if (escapes && text[place] == '\\') {
      place += 2;
    } else if (whole ? text.substr(place, 3) == text.substr(at, 3) : text[place] == quote) {
      return place + (whole ? 3 : 1);
    } else if (!whole && text[place] == '\n') {
      return place;
    } else {
      ++place;
    }
  }
  return text.size();
}

/// Counts levels character by character.
class Levels {
 public:
  void take(char c) {
    if (c == '.') ++dots_;
    if (line_begins_ && c == '[' && open_.empty()) in_header_ = true;
    if (in_header_) {
      header_ = dots_ + 1;
    } else if (c == '[' || c == '{') {
      open_.push_back(dots_ + 1);
      inside_ += open_.back();
      dots_ = 0;
    } else if ((c == ']' || c == '}') && !open_.empty()) {
      inside_ -= open_.back();
      open_.pop_back();
    }
    deepest_ = std::max(deepest_, in_header_ ? header_ : header_ + inside_ + dots_);
    if (c == ',' || c == '\n') dots_ = 0;
    if (c == '\n') in_header_ = false;
    line_begins_ = c == '\n' || (line_begins_ && (c == ' ' || c == '\t'));
  }
  /// A part of a key, or a value.
  void take_string() { line_begins_ = false; }
  size_t deepest() const { return deepest_; }

 private:
  std::vector<size_t> open_;  ///< levels of each open bracket, with those of the key before it
  size_t inside_ = 0;         ///< their sum
  size_t header_ = 0;         ///< levels of the table that the last header named
  size_t dots_ = 0;           ///< in the text after the last bracket, comma or line break
  size_t deepest_ = 0;
  bool line_begins_ = true;
  bool in_header_ = false;
};

}  // namespace

size_t toml_levels(std::string_view text) {
  Levels levels;
  size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      levels.take_string();
      at = end_of_toml_string(text, at);
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      levels.take(c);
      ++at;
    }
  }
  return levels.deepest();
}

tl::expected<toml::table, TomlFault> read_toml(std::string_view text) {
  if (text.size() > limits::kProjectFile.most) {
    return tl::unexpected(
        TomlFault{0, fmt::format("has more than {}", format_bytes(limits::kProjectFile.most))});
  }
  const std::optional<std::string> ascii = to_ascii_toml(text);
  if (!ascii) return tl::unexpected(TomlFault{0, "is not UTF-8"});
  if (toml_levels(*ascii) > limits::kTomlLevels) {
    return tl::unexpected(
        TomlFault{0, fmt::format("has more than {} levels", limits::kTomlLevels)});
  }
  toml::parse_result parsed = toml::parse(*ascii);
  if (parsed) return std::move(parsed).table();
  const toml::parse_error& error = parsed.error();
  return tl::unexpected(
      TomlFault{static_cast<int>(error.source().begin.line), std::string(error.description())});
}

}  // namespace pinwheel
