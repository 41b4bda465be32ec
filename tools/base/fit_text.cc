#include "base/fit_text.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel {
namespace {

constexpr size_t kFarIn = 8;
constexpr std::string_view kBreakAfter = ",|/-=:@_.";

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// The bytes of the first `columns` characters.
size_t bytes_of(std::string_view text, size_t columns) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && seen++ == columns) break;
  }
  return at;
}

/// The number of bytes of a too long word that fit `width` columns.
size_t bytes_before_break(std::string_view word, size_t width) {
  const size_t most = bytes_of(word, width);
  const size_t mark = word.substr(0, most).find_last_of(kBreakAfter);
  // A short piece is harder to read than a break inside a name.
  return mark == std::string_view::npos || mark < most / 3 ? most : mark + 1;
}

/// A line, divided into the part at its beginning and the part to wrap, with the indentation of the
/// following lines.
struct LineLayout {
  std::string head;
  std::string_view rest;
  size_t indent = 0;
};

LineLayout layout_of(std::string_view line, size_t width) {
  const size_t furthest = width * 3 / 4;
  const size_t leading = std::min(line.find_first_not_of(' '), line.size());
  // A line with a deep indentation is already part of a column.
  const size_t further = leading < kFarIn ? 2 : 0;
  LineLayout layout{std::string(std::min(leading, furthest), ' '), line.substr(leading),
                    std::min(leading + further, furthest)};
  for (size_t gap = line.find("  ", leading); gap != line.npos; gap = line.find("  ", gap)) {
    const size_t column = line.find_first_not_of(' ', gap);
    if (column == line.npos || columns_of(line.substr(0, column)) > furthest) break;
    layout = {std::string(line.substr(0, column)), line.substr(column),
              columns_of(line.substr(0, column))};
    gap = column;
  }
  return layout;
}

}  // namespace

size_t columns_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::vector<std::string> wrap_words(std::string_view text, size_t width) {
  const size_t most = std::max<size_t>(width, 1);
  std::vector<std::string> lines(1);
  for (const std::string& each : split(text, ' ')) {
    std::string_view word = each;
    if (word.empty()) continue;
    if (!lines.back().empty()) {
      if (columns_of(lines.back()) + 1 + columns_of(word) <= most) {
        lines.back().append(" ").append(word);
        continue;
      }
      lines.emplace_back();
    }
    while (columns_of(word) > most) {
      const size_t bytes = bytes_before_break(word, most);
      lines.back() = word.substr(0, bytes);
      lines.emplace_back();
      word.remove_prefix(bytes);
    }
    lines.back() = word;
  }
  return lines;
}

std::string fit_lines(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (columns_of(line) <= width) {
      out += line;
    } else {
      const LineLayout layout = layout_of(line, width);
      const std::string between = "\n" + std::string(layout.indent, ' ');
      out += layout.head;
      out += join(wrap_words(layout.rest, width - layout.indent), between);
    }
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace pinwheel
