#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// Parses a matrix file. Unknown keys, duplicate keys, wrong types and values are errors of kind
/// `config` with file:line:column, excerpt and the nearest valid name. `file` is the path as given.
Result<Matrix> parse(std::string_view yaml, const std::string& file);

}  // namespace pinwheel::matrix
