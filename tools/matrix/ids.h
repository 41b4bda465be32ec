#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "matrix/combine.h"

namespace pinwheel::matrix {

/// What each axis value contributes to ids. A compute whose label another compute of the matrix
/// shares has its version in full.
class IdParts {
 public:
  explicit IdParts(const std::vector<Combination>& rows);

  const std::string& of(const std::string& axis, const std::string& value) const;
  /// The parts of the axis values, joined by `-`.
  std::string id_of(const std::vector<std::pair<std::string, std::string>>& axes) const;

 private:
  std::map<std::pair<std::string, std::string>, std::string> parts_;
};

/// The ids of all rows, in order. Two rows with one id, and a row without an axis, are `config`
/// errors that name the rows.
Result<std::vector<std::string>> make_ids(const std::vector<Combination>& rows);

}  // namespace pinwheel::matrix
