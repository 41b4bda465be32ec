#include "inspect/cause.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

// A cause explains a difference when the files become equal after removing everything that may
// differ for that reason. What to remove is recognized by its pattern.
namespace pinwheel::inspect {
namespace {

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_path(char c) {
  return is_word(c) || c == '/' || c == '.' || c == '-' || c == '+' || c == '@';
}

/// Whether the text has the shape: `0` matches a digit, `a` a letter, other characters themselves.
bool has_shape(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    const bool fits = shape[i] == '0'   ? is_digit(c)
                      : shape[i] == 'a' ? std::isalpha(static_cast<unsigned char>(c)) != 0
                                        : c == shape[i];
    if (!fits) return false;
  }
  return true;
}

/// The length of a date or time at the beginning of the text; 0 when there is none.
size_t time_length(std::string_view text) {
  constexpr std::array<std::string_view, 6> kShapes = {"0000-00-00",  "00:00:00",   "aaa 00 0000",
                                                       "aaa  0 0000", "0000/00/00", "0000.00.00"};
  for (const std::string_view shape : kShapes) {
    if (has_shape(text, shape)) return shape.size();
  }
  constexpr std::string_view kSeconds = "1000000000";
  const bool seconds = text.starts_with('1') && has_shape(text.substr(1), "000000000");
  const bool ends =
      text.size() == kSeconds.size() || !is_digit(text[std::min(text.size() - 1, kSeconds.size())]);
  return seconds && ends ? kSeconds.size() : 0;
}

size_t path_length(std::string_view text) {
  if (!text.starts_with('/') || text.size() < 2 || !is_word(text[1])) return 0;
  const auto end = std::find_if_not(text.begin(), text.end(), is_path);
  const auto length = static_cast<size_t>(end - text.begin());
  return text.substr(1, length - 1).find('/') == std::string_view::npos ? 0 : length;
}

size_t random_length(std::string_view text) {
  constexpr size_t kShortest = 8;
  const auto end = std::find_if_not(text.begin(), text.end(),
                                    [](char c) { return is_hex_digit(c) || c == '-'; });
  const auto length = static_cast<size_t>(end - text.begin());
  return length >= kShortest ? length : 0;
}

/// The text with everything that `length_of` recognizes replaced by a marker.
template <class LengthOf>
std::string with_marks(std::string_view text, const LengthOf& length_of) {
  std::string out;
  out.reserve(text.size());
  bool after_word = false;
  while (!text.empty()) {
    const size_t length = after_word ? 0 : length_of(text);
    if (length == 0) {
      after_word = is_word(text.front());
      out += text.front();
      text.remove_prefix(1);
    } else {
      out += '\1';
      text.remove_prefix(length);
      after_word = false;
    }
  }
  return out;
}

using Texts = std::array<std::string, 2>;

Texts without_versions(const Versioned& left, const Versioned& right) {
  const auto strip = [](const Versioned& file) {
    return file.version.empty() ? std::string(file.contents)
                                : replace_all(std::string(file.contents), file.version, "\1");
  };
  return {strip(left), strip(right)};
}

template <class LengthOf>
void take_away(Texts& texts, const LengthOf& length_of) {
  for (std::string& text : texts) text = with_marks(text, length_of);
}

std::string sorted_lines(const std::string& text) {
  std::vector<std::string> lines = split(text, '\n');
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n");
}

void sort_lines(Texts& texts) {
  for (std::string& text : texts) text = sorted_lines(text);
}

/// The texts without the parts that the cause explains.
Texts reduced(Cause cause, const Versioned& left, const Versioned& right) {
  Texts texts = {std::string(left.contents), std::string(right.contents)};
  if (cause == Cause::version) texts = without_versions(left, right);
  if (cause == Cause::time) take_away(texts, time_length);
  if (cause == Cause::path) take_away(texts, path_length);
  if (cause == Cause::random) take_away(texts, random_length);
  if (cause == Cause::order) sort_lines(texts);
  return texts;
}

}  // namespace

std::string_view to_string(Cause cause) {
  constexpr std::array<std::string_view, 7> kNames = {"version", "time",    "path",    "random",
                                                      "order",   "several", "contents"};
  return kNames.at(static_cast<size_t>(cause));
}

Cause cause_of(const Versioned& left, const Versioned& right) {
  for (const Cause cause :
       {Cause::version, Cause::time, Cause::path, Cause::random, Cause::order}) {
    const Texts texts = reduced(cause, left, right);
    if (texts[0] == texts[1]) return cause;
  }
  Texts texts = without_versions(left, right);
  take_away(texts, time_length);
  take_away(texts, path_length);
  take_away(texts, random_length);
  sort_lines(texts);
  return texts[0] == texts[1] ? Cause::several : Cause::contents;
}

}  // namespace pinwheel::inspect
