#pragma once
#include <string_view>

#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// The axis of that name, owned by the matrix; null if it has none.
const Axis* find_axis(const Matrix& matrix, std::string_view name);

}  // namespace pinwheel::matrix
