#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "matrix/variant.h"

namespace pinwheel::report {

/// The keys that every row for a matrix of GitHub Actions has: `id`, `build`, and beside them,
/// since GitHub exposes a row's keys to expressions, the axes and the attributes in the order of
/// the matrix.
nlohmann::ordered_json github_row(const matrix::Variant& variant, const std::string& build);

}  // namespace pinwheel::report
