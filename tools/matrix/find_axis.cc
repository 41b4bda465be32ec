#include "matrix/find_axis.h"

#include <algorithm>

namespace pinwheel::matrix {

const Axis* find_axis(const Matrix& matrix, std::string_view name) {
  const auto found = std::ranges::find(matrix.axes, name, &Axis::name);
  return found == matrix.axes.end() ? nullptr : &*found;
}

}  // namespace pinwheel::matrix
