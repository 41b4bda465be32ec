#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/axis_map.h"
#include "matrix/combine.h"

namespace pinwheel::matrix {

/// What each axis value contributes to ids. A compute whose label another compute of the matrix
/// shares has its version in full.
class IdParts {
 public:
  explicit IdParts(const std::vector<Combination>& rows);

  /// The parts of the axis values, which are of the rows given, joined by `-`.
  std::string id_of(const std::vector<std::pair<std::string, std::string>>& axes) const;

 private:
  AxisMap<std::string> parts_;
};

/// The ids of all rows, in order. Two rows with one id, and a row without an axis, are `config`
/// errors that name the rows.
Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows);

}  // namespace pinwheel::matrix
