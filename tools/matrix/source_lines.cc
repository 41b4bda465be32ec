#include "matrix/source_lines.h"

#include <utility>

namespace pinwheel::matrix {
namespace {

constexpr int kLongestExcerpt = 300;

}  // namespace

SourceLines::SourceLines(std::string_view text, std::string file) : file_(std::move(file)) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines_.push_back(line);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
}

Location SourceLines::place(int line, int column) const {
  if (line < 0) return whole();
  // Every node has an excerpt: those of a long line would be its square.
  std::string_view excerpt = this->line(static_cast<size_t>(line));
  if (excerpt.size() > size_t{kLongestExcerpt}) {
    excerpt = column < kLongestExcerpt ? excerpt.substr(0, kLongestExcerpt) : std::string_view();
  }
  return {file_, line + 1, column + 1, std::string(excerpt)};
}

std::string_view SourceLines::line(size_t index) const {
  return index < lines_.size() ? lines_[index] : std::string_view();
}

}  // namespace pinwheel::matrix
