#include "report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/fit_text.h"
#include "base/visible_text.h"

namespace pinwheel::report {
namespace {

using Cells = std::vector<std::string>;

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

std::vector<size_t> widths_of(const std::vector<Cells>& rows) {
  std::vector<size_t> widths;
  for (const Cells& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  return widths;
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

/// Appends a cell and the blanks up to the next column.
void append_padded(const std::string& cell, size_t width, std::string& out) {
  out += cell;
  out.append(width - columns_of(cell) + kGap, ' ');
}

/// Ends the line that begins at `begin`, without trailing blanks.
void end_line(size_t begin, std::string& out) {
  while (out.size() > begin && out.back() == ' ') out.pop_back();
  out += '\n';
}

/// Appends a row with cells that are wrapped, with as many lines as its tallest cell.
void append_wrapped(const Cells& row, const std::vector<size_t>& widths, std::string& out) {
  std::vector<Cells> cells;
  size_t height = 1;
  for (size_t i = 0; i < row.size(); ++i) {
    const bool fits = columns_of(row[i]) <= widths[i];
    cells.push_back(fits ? Cells{row[i]} : wrap_words(row[i], widths[i]));
    height = std::max(height, cells.back().size());
  }
  for (size_t line = 0; line < height; ++line) {
    const size_t begin = out.size();
    for (size_t i = 0; i < cells.size(); ++i) {
      append_padded(line < cells[i].size() ? cells[i][line] : "", widths[i], out);
    }
    end_line(begin, out);
  }
}

void append_row(const Cells& row, const std::vector<size_t>& widths, std::string& out) {
  for (size_t i = 0; i < row.size(); ++i) {
    if (columns_of(row[i]) > widths[i]) return append_wrapped(row, widths, out);
  }
  const size_t begin = out.size();
  for (size_t i = 0; i < row.size(); ++i) append_padded(row[i], widths[i], out);
  end_line(begin, out);
}

/// A row as a block of lines.
std::string block_text(const Cells& header, const Cells& row, size_t width) {
  std::string out;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].empty()) continue;
    const std::string name = i < header.size() && !header[i].empty() ? header[i] + ": " : "";
    out += fit_lines(i == 0 ? row[i] : "  " + name + row[i], width) + "\n";
  }
  return out;
}

}  // namespace

std::string align_columns(std::vector<Cells> rows, size_t width) {
  for (Cells& row : rows) {
    for (std::string& cell : row) {
      if (!is_plain(cell)) cell = visible(cell);
    }
  }
  std::vector<size_t> widths = widths_of(rows);
  const bool wide = width > 0 && total(widths) > width;
  if (wide) widths = narrowed(std::move(widths), width);
  std::string out;
  if (!wide || !widths.empty()) {
    for (const Cells& row : rows) append_row(row, widths, out);
    return out;
  }
  for (size_t i = rows.size() > 1 ? 1 : 0; i < rows.size(); ++i) {
    out += block_text(rows[0], rows[i], width);
  }
  return out;
}

void Lines::add(std::string_view label, const std::string& value) {
  text_ += fmt::format("  {:<16} {}\n", label == last_ ? "" : label, visible(value));
  last_ = label;
}

}  // namespace pinwheel::report
