#pragma once
#include <yaml-cpp/exceptions.h>

#include <optional>
#include <vector>

#include "base/error.h"
#include "matrix/source_lines.h"

namespace pinwheel::matrix {

/// Why a file is not YAML, of kind `config`, in words for people who write matrix files: a tab that
/// indents, a missing colon or space, a wrong indentation, a bracket or quote that is not closed.
/// The place is that of the cause, which may be lines above the place where the parser failed. Less
/// common errors have the parser's words.
Error yaml_problem(const YAML::Exception& error, const SourceLines& lines);

/// The error for a bracket, brace or quote that is not closed.
Error unclosed_at(char opening, Location at);

/// A bracket, brace or quote in YAML text; line and column from 0.
struct Opening {
  char character = '[';
  int line = 0;
  int column = 0;
};

/// The brackets that are open at a place in broken YAML: the innermost bracket or brace, and the
/// quote.
struct OpenAt {
  std::optional<Opening> bracket = std::nullopt;
  std::optional<Opening> quote = std::nullopt;
};

}  // namespace pinwheel::matrix
