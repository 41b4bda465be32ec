#pragma once
#include <string_view>

#include "matrix/variant.h"

namespace pinwheel::matrix {

/// Whether `COMPUTE`, `@ARCH` or `COMPUTE@ARCH`, both patterns as in conditions, matches the
/// variant.
bool matches_compute(std::string_view pattern, const Variant& variant);

}  // namespace pinwheel::matrix
