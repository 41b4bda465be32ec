#include "env/source_place.h"

#include <charconv>
#include <string>

#include "base/text.h"

namespace pinwheel::env {
namespace {

struct Number {
  int value = 0;
  size_t end = 0;  ///< the position after it
};

/// A number above zero; no source has a longer one.
std::optional<Number> number_at(std::string_view text, size_t at) {
  constexpr size_t kDigits = 7;
  size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  if (end == at || end - at > kDigits) return std::nullopt;
  Number number{0, end};
  std::from_chars(text.data() + at, text.data() + end, number.value);
  if (number.value == 0) return std::nullopt;
  return number;
}

bool is_at(std::string_view text, size_t at, char wanted) {
  return at < text.size() && text[at] == wanted;
}

/// What a program says before the file's name: "CMake Error at ", "/usr/bin/ld: ".
std::string named_file(std::string_view before) {
  constexpr std::string_view kCMake = "CMake Error at ";
  if (before.starts_with(kCMake)) before.remove_prefix(kCMake.size());
  if (const size_t at = before.rfind(": "); at != std::string_view::npos) {
    before.remove_prefix(at + 2);
  }
  return std::string(trim(before));
}

/// Line and column behind the ":" or "(" at `at`.
std::optional<Location> numbers_at(std::string_view line, size_t at) {
  const std::optional<Number> row = number_at(line, at + 1);
  if (!row) return std::nullopt;
  Location place;
  place.line = row->value;
  if (line[at] == '(') return is_at(line, row->end, ')') ? std::optional(place) : std::nullopt;
  size_t end = row->end;
  if (is_at(line, end, ':')) {
    if (const std::optional<Number> column = number_at(line, end + 1)) {
      place.column = column->value;
      end = column->end;
    }
  }
  if (end < line.size() && line[end] != ':' && line[end] != ' ') return std::nullopt;
  return place;
}

}  // namespace

std::optional<Location> source_place(std::string_view line) {
  for (size_t at = line.find_first_of(":("); at != std::string_view::npos;
       at = line.find_first_of(":(", at + 1)) {
    std::optional<Location> place = numbers_at(line, at);
    if (!place) continue;
    place->file = named_file(line.substr(0, at));
    if (place->file.empty()) return std::nullopt;
    return place;
  }
  return std::nullopt;
}

}  // namespace pinwheel::env
