#include "matrix/find_axis.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"

namespace pinwheel::matrix {

const Axis* find_axis(const Matrix& matrix, std::string_view name) {
  const auto found = std::ranges::find(matrix.axes, name, &Axis::name);
  return found == matrix.axes.end() ? nullptr : &*found;
}

std::vector<std::string> values_of_axis(const Matrix& matrix, std::string_view name) {
  std::vector<std::string> values;
  std::unordered_set<std::string> seen;
  const auto add = [&](const std::string& value) {
    if (seen.insert(value).second) values.push_back(value);
  };
  const Axis* const axis = find_axis(matrix, name);
  if (axis != nullptr) std::ranges::for_each(axis->values, add);
  for (const Row& row : matrix.include) {
    for (const auto& [key, value] : row.values) {
      if (key == name && (axis == nullptr || !is_glob(value))) add(value);
    }
  }
  return values;
}

}  // namespace pinwheel::matrix
