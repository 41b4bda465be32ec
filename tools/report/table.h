#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace pinwheel::report {

/// Rows of cells as aligned columns, two spaces apart, no trailing blanks; the first row is the
/// header. Each row stays on its line: cells are made visible. With a `width`, what would be wider
/// has its widest columns broken into lines; where these would be too narrow to read, each row is a
/// block, its first cell above the others, with their headers. No line is then wider; 0 is
/// unlimited.
std::string align_columns(std::vector<std::vector<std::string>> rows, size_t width = 0);

}  // namespace pinwheel::report
