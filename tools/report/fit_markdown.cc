#include "report/fit_markdown.h"

#include <algorithm>
#include <vector>

#include "base/fit_text.h"
#include "base/text.h"
#include "report/table.h"

namespace pinwheel::report {
namespace {

using MarkdownRow = std::vector<std::string>;

/// The cells of "| a | b |"; `\|` is a character of a cell.
MarkdownRow cells_of(std::string_view line) {
  line.remove_prefix(1);
  MarkdownRow cells(1);
  for (size_t at = 0; at < line.size(); ++at) {
    if (line.substr(at, 2) == "\\|") {
      cells.back() += line[++at];
    } else if (line[at] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[at];
    }
  }
  if (trim(cells.back()).empty()) cells.pop_back();
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

bool is_rule(std::string_view line) {
  return line.find_first_not_of("|-: ") == std::string_view::npos;
}

}  // namespace

std::string fit_markdown(std::string_view text, size_t width) {
  if (width == 0) return std::string(text);
  std::string out;
  std::vector<MarkdownRow> table;
  bool code = false;
  std::vector<std::string> lines = split(text, '\n');
  if (lines.back().empty()) lines.pop_back();
  lines.emplace_back();  // ends a table
  for (const std::string& line : lines) {
    if (line.starts_with("```")) code = !code;
    if (!code && line.starts_with('|')) {
      if (!is_rule(line)) table.push_back(cells_of(line));
      continue;
    }
    if (!table.empty()) out += align_columns(std::move(table), width);
    table.clear();
    const bool as_it_is =
        code || line.starts_with("    ") || line.starts_with("```") || columns_of(line) <= width;
    const bool point = line.starts_with("- ") || line.starts_with(' ');
    out += (as_it_is ? line
            : point  ? fit_lines(line, width)
                     : join(wrap_words(line, width), "\n")) +
           "\n";
  }
  out.pop_back();
  return out;
}

}  // namespace pinwheel::report
