#include "base/terminal_text.h"

#include <algorithm>

#include "base/visible_text.h"

namespace pinwheel {
namespace {

/// Length of the escape sequence at the start of `text`, which starts with ESC.
size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] != '[') return 2;
  size_t i = 2;
  while (i < text.size() && (text[i] < 0x40 || text[i] > 0x7e)) ++i;
  return std::min(i + 1, text.size());
}

std::string as_shown(std::string_view line) {
  while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  line.remove_prefix(line.rfind('\r') == std::string_view::npos ? 0 : line.rfind('\r') + 1);
  std::string out;
  while (!line.empty()) {
    const char c = line.front();
    if (c == '\x1b') {
      line.remove_prefix(escape_length(line));
      continue;
    }
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!control || c == '\t') out += c;
    line.remove_prefix(1);
  }
  return visible_lines(out);
}

}  // namespace

std::vector<std::string> last_lines(std::string_view text, size_t count) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < count) {
    const size_t start = text.rfind('\n') == std::string_view::npos ? 0 : text.rfind('\n') + 1;
    lines.push_back(as_shown(text.substr(start)));
    text = text.substr(0, start == 0 ? 0 : start - 1);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

}  // namespace pinwheel
