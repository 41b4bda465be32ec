#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/condition.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// The selection options, as typed (docs/cli.md, "Selection").
struct SelectionRequest {
  std::vector<std::string> globs = {};      ///< on ids
  std::vector<std::string> selectors = {};  ///< "python=3.12,3.13", "compute=!cuda/*"
  std::vector<std::string> skip = {};       ///< globs on ids; takes precedence over everything else
  std::vector<std::string> only = {};       ///< exact ids
  std::string channel = {};                 ///< empty: every channel
  std::vector<Status> status = {Status::supported, Status::experimental};
};

/// The variants that the request selects, in matrix order. Selectors on one axis are alternatives,
/// as in `python=3.12,3.13`. An unknown axis, channel or id, or a value or glob that matches
/// nothing, is `usage` with the nearest name; one that excludes (`skip`, `!`) may match only
/// variants that a rule or `exclude` already excludes. An empty result is `nothing_selected`.
Result<std::vector<Variant>> select(const Matrix& matrix, const Expansion& expansion,
                                    const SelectionRequest& request);
/// The same without copies: pointers to the variants of `expansion`.
Result<std::vector<const Variant*>> find_selected(const Matrix& matrix, const Expansion& expansion,
                                                  const SelectionRequest& request);

}  // namespace pinwheel::matrix
