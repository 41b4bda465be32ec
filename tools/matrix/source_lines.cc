#include "matrix/source_lines.h"

#include <algorithm>
#include <utility>

#include "matrix/yaml_limits.h"

namespace pinwheel::matrix {

SourceLines::SourceLines(std::string_view text, std::string file)
    : text_(text), file_(std::move(file)) {
  starts_.reserve(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
  for (size_t at = 0; at < text.size();) {
    starts_.push_back(static_cast<uint32_t>(at));
    const size_t end = text.find('\n', at);
    at = end == std::string_view::npos ? text.size() : end + 1;
  }
}

Location SourceLines::place(int line, int column) const {
  if (line < 0) return whole();
  // Every node has an excerpt. With those of a long line, memory would grow with its square.
  std::string_view excerpt = this->line(static_cast<size_t>(line));
  if (excerpt.size() > kLongestExcerpt) {
    const bool within = column >= 0 && static_cast<size_t>(column) < kLongestExcerpt;
    excerpt = within ? excerpt.substr(0, kLongestExcerpt) : std::string_view();
  }
  return {file_, line + 1, column + 1, std::string(excerpt)};
}

std::string_view SourceLines::line(size_t index) const {
  if (index >= starts_.size()) return {};
  const size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
  std::string_view line = text_.substr(starts_[index], end - starts_[index]);
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace pinwheel::matrix
