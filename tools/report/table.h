#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/visible_text.h"

namespace pinwheel::report {

/// Rows of cells as aligned columns, two spaces apart, without trailing blanks; the first row is
/// the header. Each row is one line: cells are made visible. With a `width`, a row that would be
/// wider is wrapped in its widest columns. If these would be too narrow to read, each row becomes a
/// block: its first cell above the others, with their headers. No line is then wider than `width`;
/// 0 is unlimited.
std::string align_columns(std::vector<std::vector<std::string>> rows, size_t width = 0);

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
