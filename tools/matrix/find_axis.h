#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// The axis of that name, owned by the matrix; null if it has none.
const Axis* find_axis(const Matrix& matrix, std::string_view name);

/// Every value that a variant may have on the axis or attribute: those that the axis lists, then
/// those of `include`, each once.
std::vector<std::string> values_of_axis(const Matrix& matrix, std::string_view name);

}  // namespace pinwheel::matrix
