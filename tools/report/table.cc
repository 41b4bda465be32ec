#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/fit_text.h"
#include "base/visible_text.h"

namespace pinwheel::report {
namespace {

constexpr size_t kGap = 2;
/// Wider columns are not made narrower than this.
constexpr size_t kNarrowest = 12;

/// Whether a cell is printable ASCII, which `visible` does not change.
bool is_plain(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

size_t total(const std::vector<size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), size_t{0}) +
         kGap * (widths.empty() ? 0 : widths.size() - 1);
}

/// Reduces the widest columns until the table fits; empty if it cannot.
std::vector<size_t> narrowed(std::vector<size_t> widths, size_t width) {
  while (total(widths) > width) {
    const auto widest = std::max_element(widths.begin(), widths.end());
    if (*widest <= kNarrowest) return {};
    --*widest;
  }
  return widths;
}

/// Ends the line that begins at `begin`, without trailing blanks.
void end_line(size_t begin, std::string& out) {
  while (out.size() > begin && out.back() == ' ') out.pop_back();
  out += '\n';
}

}  // namespace

void TableRows::add(std::string_view cell) {
  if (is_plain(cell)) {
    text_ += cell;
    cells_.push_back({text_.size(), cell.size()});
    return;
  }
  const std::string shown = visible(cell);
  text_ += shown;
  cells_.push_back({text_.size(), columns_of(shown)});
}

std::string TableRows::aligned(size_t width) const {
  std::vector<size_t> columns = column_widths();
  const bool wide = width > 0 && total(columns) > width;
  if (wide) columns = narrowed(std::move(columns), width);
  std::string out;
  if (!wide || !columns.empty()) {
    out.reserve(text_.size() + kGap * cells_.size() + rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) append_row(cells_of(i), columns, out);
    return out;
  }
  for (size_t i = rows_.size() > 1 ? 1 : 0; i < rows_.size(); ++i) out += block_text(i, width);
  return out;
}

TableRows::Range TableRows::cells_of(size_t row) const {
  return {rows_[row], row + 1 < rows_.size() ? rows_[row + 1] : cells_.size()};
}

std::string_view TableRows::text_of(size_t cell) const {
  const size_t begin = cell == 0 ? 0 : cells_[cell - 1].end;
  return std::string_view(text_).substr(begin, cells_[cell].end - begin);
}

std::vector<size_t> TableRows::column_widths() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const auto [begin, end] = cells_of(i);
    widths.resize(std::max(widths.size(), end - begin), 0);
    for (size_t cell = begin; cell < end; ++cell) {
      widths[cell - begin] = std::max(widths[cell - begin], cells_[cell].columns);
    }
  }
  return widths;
}

void TableRows::append_row(Range row, const std::vector<size_t>& widths, std::string& out) const {
  for (size_t cell = row.begin; cell < row.end; ++cell) {
    if (cells_[cell].columns > widths[cell - row.begin]) return append_wrapped(row, widths, out);
  }
  const size_t begin = out.size();
  for (size_t cell = row.begin; cell < row.end; ++cell) {
    out += text_of(cell);
    out.append(widths[cell - row.begin] - cells_[cell].columns + kGap, ' ');
  }
  end_line(begin, out);
}

/// Appends a row with cells that are wrapped, with as many lines as its tallest cell.
void TableRows::append_wrapped(Range row, const std::vector<size_t>& widths,
                               std::string& out) const {
  std::vector<std::vector<std::string>> cells;
  cells.reserve(row.end - row.begin);
  size_t height = 1;
  for (size_t cell = row.begin; cell < row.end; ++cell) {
    const size_t width = widths[cell - row.begin];
    const std::string_view text = text_of(cell);
    if (cells_[cell].columns <= width) {
      cells.push_back({std::string(text)});
    } else {
      cells.push_back(wrap_words(text, width));
    }
    height = std::max(height, cells.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    const size_t begin = out.size();
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string_view text =
          line < cells[i].size() ? std::string_view(cells[i][line]) : std::string_view();
      out += text;
      out.append(widths[i] - columns_of(text) + kGap, ' ');
    }
    end_line(begin, out);
  }
}

/// A row as a block of lines.
std::string TableRows::block_text(size_t row, size_t width) const {
  std::string out;
  const Range header = cells_of(0);
  const auto [begin, end] = cells_of(row);
  for (size_t cell = begin; cell < end; ++cell) {
    const std::string_view text = text_of(cell);
    if (text.empty()) continue;
    const size_t column = cell - begin;
    const bool has_header = header.begin + column < header.end;
    const std::string_view name = has_header ? text_of(header.begin + column) : std::string_view();
    std::string line(text);
    if (column > 0) line = fmt::format("  {}{}{}", name, name.empty() ? "" : ": ", text);
    out += fit_lines(line, width) + "\n";
  }
  return out;
}

std::string align_columns(const std::vector<std::vector<std::string>>& rows, size_t width) {
  TableRows table;
  for (const std::vector<std::string>& row : rows) {
    table.begin_row();
    for (const std::string& cell : row) table.add(cell);
  }
  return table.aligned(width);
}

void Lines::add(std::string_view label, const std::string& value) {
  text_ += fmt::format("  {:<16} {}\n", label == last_ ? "" : label, visible(value));
  last_ = label;
}

}  // namespace pinwheel::report
