#include "init/matrix_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace pinwheel::init {
namespace {

constexpr size_t kWidth = 100;
/// A trailing comment that begins farther right than this is hard to read.
constexpr size_t kFarRight = 60;

/// Whether YAML, and readers of older YAML, read the text as a string without quotes. A text that
/// begins with a digit is quoted, because it may be a number.
bool is_plain(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords = {"true", "false", "null", "yes",
                                                      "no",   "on",    "off"};
  if (text == "..") return true;
  if (text.starts_with("../")) return is_plain(text.substr(3));
  const size_t first = text.find_first_not_of('-');
  const bool begins = first != std::string_view::npos && is_alphanumeric(text[first]) &&
                      !is_digit(text[first]) && first <= 2;
  const bool safe = std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || std::string_view("._-/+=()@").find(c) != std::string_view::npos;
  });
  return begins && safe && std::ranges::find(kWords, to_lower(text)) == kWords.end();
}

std::string yaml_scalar(const std::string& text) {
  if (is_plain(text)) return text;
  std::string quoted_text = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted_text += '\\';
    if (c == '\n') {
      quoted_text += "\\n";
    } else if (c == '\t') {
      quoted_text += "\\t";
    } else if (static_cast<unsigned char>(c) >= 0x20) {
      quoted_text += c;
    }
  }
  return quoted_text + "\"";
}

struct YamlValue {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const std::string& text) const { return yaml_scalar(text); }
  std::string operator()(YesOrNo value) const { return value == YesOrNo::yes ? "true" : "false"; }
  std::string operator()(const std::vector<std::string>& list) const {
    std::vector<std::string> items;
    items.reserve(list.size());
    for (const std::string& item : list) items.push_back(yaml_scalar(item));
    return "[" + join(items, ", ") + "]";
  }
  std::string operator()(const std::vector<std::pair<std::string, std::string>>& entries) const {
    std::vector<std::string> items;
    items.reserve(entries.size());
    for (const auto& [key, value] : entries) {
      items.push_back(yaml_scalar(key) + ": " + yaml_scalar(value));
    }
    return "{" + join(items, ", ") + "}";
  }
};

/// The text without characters that YAML files may not contain, even in comments.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte >= 0x20 && byte != 0x7f) || c == '\n') result += c;
  }
  return result;
}

/// Text as comment lines of at most `kWidth` characters; its own line breaks stay.
std::string comment_lines(const std::string& text, const std::string& first,
                          const std::string& others) {
  std::string out;
  std::string begin = first;
  for (const std::string& paragraph : split(printable(text), '\n')) {
    std::string line = begin;
    bool begun = false;
    for (const std::string& word : split(paragraph, ' ')) {
      if (begun && line.size() + 1 + word.size() > kWidth) {
        out += line + "\n";
        line = others;
        begun = false;
      }
      line += (begun ? " " : "") + word;
      begun = true;
    }
    out += line + "\n";
    begin = others;
  }
  return out;
}

/// A line with a trailing comment, or with the comment above it if the line would be too long.
std::string commented(const std::string& indent, const std::string& line,
                      const std::string& because) {
  const std::string whole = indent + line;
  if (because.empty()) return whole + "\n";
  const bool one_line = because.find('\n') == std::string::npos;
  if (one_line && whole.size() <= kFarRight && whole.size() + 4 + because.size() <= kWidth) {
    return fmt::format("{}  # {}\n", whole, printable(because));
  }
  return comment_lines(because, indent + "# ", indent + "# ") + whole + "\n";
}

/// The headers of the sections that begin with this key and are not open yet.
std::string section_headers(const std::vector<std::string>& path,
                            const std::vector<std::string>& open) {
  std::string out;
  bool same = true;
  for (size_t depth = 0; depth < path.size(); ++depth) {
    same = same && depth < open.size() && open[depth] == path[depth];
    if (same) continue;
    if (depth == 0) out += "\n";
    out += std::string(2 * depth, ' ') + path[depth] + ":\n";
  }
  return out;
}

std::string left_out_list(const std::vector<LeftOut>& left_out) {
  if (left_out.empty()) return {};
  std::string out = "\n# Not adopted:\n";
  for (const LeftOut& one : left_out) {
    out += comment_lines(one.what + ": " + one.why, "# - ", "#   ");
  }
  return out;
}

}  // namespace

std::string matrix_text(const MatrixDraft& draft) {
  std::string out = draft.proven_by.empty()
                        ? "# Written by `pinwheel init`, which read the project "
                          "and ran nothing of it.\n"
                        : "# Written by `pinwheel init --prove`, which read the "
                          "project and built a wheel of it.\n";
  out += "schema: pinwheel/1\n";
  std::vector<std::string> open;
  for (const MatrixLine& line : draft.lines) {
    std::vector<std::string> path = split(line.key, '.');
    const bool is_comment = std::holds_alternative<std::monostate>(line.value);
    if (is_comment && (open.empty() || open[0] != path[0])) {
      // A section that consists of comments only would be empty.
      out += "\n" + comment_lines(line.because, "# ", "# ");
      continue;
    }
    const std::string key = path.back();
    if (!is_comment) path.pop_back();
    out += section_headers(path, open);
    const std::string indent(2 * path.size(), ' ');
    out += is_comment
               ? comment_lines(line.because, indent + "# ", indent + "# ")
               : commented(indent, key + ": " + std::visit(YamlValue{}, line.value), line.because);
    open = path;
  }
  return out + left_out_list(draft.left_out);
}

}  // namespace pinwheel::init
