#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/axis_map.h"
#include "matrix/combine.h"

namespace pinwheel::matrix {

/// The part of each axis value in ids: of a compute its label, with the full version where the
/// label is not unique in the matrix.
class IdParts {
 public:
  explicit IdParts(const std::vector<Combination>& rows, const DeclaredComputes& computes = {});

  /// The parts of the axis values joined by `-`; the values must be from the rows given to the
  /// constructor.
  std::string id_of(const std::vector<std::pair<std::string, std::string>>& axes) const;

 private:
  AxisMap<std::string> parts_;
};

/// The ids of all rows, in order. Two rows with the same id, or a row without a value for an axis,
/// are `config` errors that name the rows.
Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows,
                                          const DeclaredComputes& computes = {});

}  // namespace pinwheel::matrix
