#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/visible_text.h"

namespace pinwheel::report {

/// The rows of a table; the first row is the header. Their cells are in one text, because the table
/// of a plan may have hundreds of thousands.
class TableRows {
 public:
  /// Begins the next row.
  void begin_row() { rows_.push_back(cells_.size()); }
  /// Adds a cell to the row that was begun last. It is made visible, on one line.
  void add(std::string_view cell);

  /// The rows as aligned columns, two spaces apart, without trailing blanks. Each row is one line.
  /// With a `width`, a row that would be wider is wrapped in its widest columns. If these would be
  /// too narrow to read, each row becomes a block: its first cell above the others, with their
  /// headers. No line is then wider than `width`; 0 is unlimited.
  std::string aligned(size_t width = 0) const;

 private:
  struct Cell {
    size_t end = 0;      ///< in the text
    size_t columns = 0;  ///< on a terminal
  };
  /// The indexes of a row's cells.
  struct Range {
    size_t begin = 0;
    size_t end = 0;
  };

  Range cells_of(size_t row) const;
  std::string_view text_of(size_t cell) const;
  std::vector<size_t> column_widths() const;
  void append_row(Range row, const std::vector<size_t>& widths, std::string& out) const;
  void append_wrapped(Range row, const std::vector<size_t>& widths, std::string& out) const;
  std::string block_text(size_t row, size_t width) const;

  std::string text_;          ///< of all cells
  std::vector<Cell> cells_;   ///< of all rows
  std::vector<size_t> rows_;  ///< for each, its first cell
};

/// `TableRows::aligned` of these rows.
std::string align_columns(const std::vector<std::vector<std::string>>& rows, size_t width = 0);

/// Lines of `label  value` under a title; additional values of a label go below the first. Titles
/// and values are made visible, each on its line.
class Lines {
 public:
  explicit Lines(std::string_view title) : text_(visible(title) + "\n") {}

  void add(std::string_view label, const std::string& value);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string last_;
};

}  // namespace pinwheel::report
