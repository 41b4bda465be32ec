#pragma once
#include <optional>
#include <vector>

#include "matrix/source_lines.h"

namespace pinwheel::matrix {

/// A bracket, brace or quote in YAML text; line and column from 0.
struct Opening {
  char character = '[';
  int line = 0;
  int column = 0;
};

/// What is open before a place in broken YAML: the innermost bracket or brace, and the quote.
struct OpenAt {
  std::optional<Opening> bracket = std::nullopt;
  std::optional<Opening> quote = std::nullopt;
};

/// Reads brackets, quotes and comments alone, so it works where a parser has given up; text in
/// block scalars counts as well.
OpenAt open_before(const SourceLines& lines, int line, int column);

}  // namespace pinwheel::matrix
