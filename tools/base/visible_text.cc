#include "base/visible_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/utf8.h"

namespace pinwheel {
namespace {

struct CodeRange {
  char32_t first;
  char32_t last;
};

/// Characters without a shape: Unicode's categories Cc, Zl, Zp, and Cf except the signs that are
/// drawn.
constexpr std::array kShapeless = {
    CodeRange{0x00, 0x1f},       CodeRange{0x7f, 0x9f},       CodeRange{0xad, 0xad},
    CodeRange{0x61c, 0x61c},     CodeRange{0x180e, 0x180e},   CodeRange{0x200b, 0x200f},
    CodeRange{0x2028, 0x202e},   CodeRange{0x2060, 0x206f},   CodeRange{0xfeff, 0xfeff},
    CodeRange{0xfff9, 0xfffb},   CodeRange{0x1bca0, 0x1bca3}, CodeRange{0x1d173, 0x1d17a},
    CodeRange{0xe0000, 0xe0fff},
};

/// Blanks that .NET trims, in addition to those without a shape.
constexpr std::array kBlanks = {
    CodeRange{'\t', '\t'},     CodeRange{' ', ' '},       CodeRange{0xa0, 0xa0},
    CodeRange{0x1680, 0x1680}, CodeRange{0x2000, 0x200a}, CodeRange{0x202f, 0x202f},
    CodeRange{0x205f, 0x205f}, CodeRange{0x3000, 0x3000},
};

template <size_t count>
bool within(const std::array<CodeRange, count>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return range.first <= code && code <= range.last;
  });
}

std::string escape_of(char32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code < 0x80) return fmt::format("\\x{:02x}", static_cast<uint32_t>(code));
  if (code < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
  return fmt::format("\\U{:08x}", static_cast<uint32_t>(code));
}

constexpr std::string_view kColors = "m";
constexpr std::string_view kDrawing = "mAJ";
constexpr std::string_view kEraseBelow = "\x1b[J";

/// The length of the control sequence at the start of the text, if it ends in one of `finals`; else
/// 0.
size_t sequence_length(std::string_view text, std::string_view finals) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find_first_not_of("0123456789;:", 2);
  if (end == text.npos || finals.find(text[end]) == finals.npos) return 0;
  if (text[end] == 'J' && text.substr(0, end + 1) != kEraseBelow) return 0;
  return end + 1;
}

/// Appends the first character, unchanged or as its escape, and returns its length.
size_t append_visible(std::string& out, std::string_view text, std::string_view unescaped) {
  const Utf8Character first = first_utf8(text);
  if (first.length == 0) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    return 1;
  }
  const bool is_visible =
      !within(kShapeless, first.code) || unescaped.find(text.front()) != unescaped.npos;
  if (is_visible) {
    out += text.substr(0, first.length);
  } else {
    out += escape_of(first.code);
  }
  return first.length;
}

/// The length of the printable ASCII at the start of the text, which is most of what is printed.
/// `newline` is a line break or another printable character.
size_t plain_length(std::string_view text, char newline = ' ') {
  const auto is_plain = [newline](char byte) {
    return (byte >= ' ' && byte <= '~') || byte == newline;
  };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
}

/// The text as people may see it. Control sequences that end in one of `finals`, and the control
/// characters in `unescaped`, are unchanged.
std::string shown(std::string_view text, std::string_view finals, std::string_view unescaped) {
  const char newline = unescaped.starts_with('\n') ? '\n' : ' ';
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t as_is = std::max(plain_length(text, newline), sequence_length(text, finals));
    out += text.substr(0, as_is);
    text.remove_prefix(as_is > 0 ? as_is : append_visible(out, text, unescaped));
  }
  return out;
}

/// The length of the text that a runner skips at the start of a line: blanks and colors.
size_t blank_length(std::string_view line) {
  size_t at = 0;
  while (at < line.size()) {
    const size_t color = sequence_length(line.substr(at), kDrawing);
    const Utf8Character first = first_utf8(line.substr(at));
    if (color == 0 && !(first.length > 0 && within(kBlanks, first.code))) break;
    at += color > 0 ? color : first.length;
  }
  return at;
}

/// A character of JSON as its escape, in two parts if UTF-16 needs them.
std::string json_escape(char32_t code) {
  const auto unit = [](char32_t part) {
    return fmt::format("\\u{:04x}", static_cast<uint32_t>(part));
  };
  if (code < 0x10000) return unit(code);
  return unit(0xd800 + ((code - 0x10000) >> 10U)) + unit(0xdc00 + ((code - 0x10000) & 0x3ffU));
}

}  // namespace

std::string visible(std::string_view text) {
  return shown(text, "", "");
}

std::string visible_lines(std::string_view text) {
  return shown(text, "", "\n\t");
}

std::string visible_output(std::string_view text) {
  const std::string lines = replace_all(replace_all(std::string(text), "\r\n", "\n"), "\r", "\n");
  return shown(lines, kColors, "\n\t");
}

std::string visible_drawing(std::string_view text) {
  return shown(text, kDrawing, "\n\t\r");
}

std::string without_commands(std::string_view text) {
  const bool possible = text.find("::") != text.npos || text.find("##[") != text.npos;
  if (!possible) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end == text.npos ? end : end + 1);
    const size_t blank = blank_length(line);
    const bool command = line.substr(blank).starts_with("::");
    out += line.substr(0, blank);
    out += command ? ": :" : "";
    out += line.substr(command ? blank + 2 : blank);
    text.remove_prefix(line.size());
  }
  return replace_all(std::move(out), "##[", "## [");
}

std::string visible_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    if (const size_t as_is = plain_length(json); as_is > 0) {
      out += json.substr(0, as_is);
      json.remove_prefix(as_is);
      continue;
    }
    const Utf8Character first = first_utf8(json);
    const bool plain = first.length == 0 || json.front() == '\n' || json.front() == '\t';
    if (plain || !within(kShapeless, first.code)) {
      out += json.substr(0, std::max<size_t>(first.length, 1));
    } else {
      out += json_escape(first.code);
    }
    json.remove_prefix(std::max<size_t>(first.length, 1));
  }
  return replace_all(std::move(out), "##[", "##\\u005b");
}

}  // namespace pinwheel
