#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// A row of the expanded matrix, before the rules apply.
struct Combination {
  std::vector<std::pair<std::string, std::string>> axes;        ///< in the order of the axes
  std::vector<std::pair<std::string, std::string>> attributes;  ///< in the order they were set
  Location at;  ///< the `include` row that appended it; line 0 for a product of the axes
};

struct Combined {
  std::vector<Combination>
      rows;  ///< the product in matrix order, then the rows that `include` appended
  std::vector<Error> warnings;  ///< each `exclude` that dropped nothing
};

/// The product of the axes with `exclude` and `include` as GitHub Actions applies them: an exclude
/// drops every combination that has all its values; then each include, in order, is merged into
/// every combination of the product whose axis values it would not overwrite (it may overwrite
/// values of an earlier include), and is appended as a row of its own if there is none. In
/// addition, a value that an axis does not list may be a glob on those that it lists; an include
/// with a glob that matches no combination is a `config` error, because a pattern is not a value.
/// https://docs.github.com/actions/using-jobs/using-a-matrix-for-your-jobs
Result<Combined> combine(const Matrix& matrix);

}  // namespace pinwheel::matrix
