#pragma once
#include <string>
#include <string_view>

#include "base/result.h"
#include "matrix/matrix.h"
#include "matrix/variant.h"

namespace pinwheel::matrix {

/// Whether pinwheel knows the compute by its family: `cpu`, `cuda/X.Y`, `rocm/X.Y`, `xpu` or
/// `xpu/X.Y`, with one to three components.
bool is_known_compute(std::string_view value);

/// The line of `computes` for a value: that of its name, else that of its family. Null for a
/// compute without one.
const DeclaredCompute* find_declared(const DeclaredComputes& computes, std::string_view value);

/// Checks a value of the axis `compute`: it must be a known compute or have a line in `computes`.
/// Else a `config` error at that place, whose hint has the nearest name (`cuda/13.0` for
/// `cuda-13.0` and `cu130`) or the missing line.
Done check_compute(const std::string& value, const DeclaredComputes& computes, const Location& at);

/// Checks a name of `computes`: letters, digits, `.`, `_` and `-`, with one `/` at most, that is
/// neither a known compute nor another spelling of one.
Done check_declared_name(const std::string& name, const Location& at);

/// The label of a compute in ids, versions and placeholders: the declared one, followed by the
/// first `components` of the version if the line is for a family, else `compute_label`.
std::string label_of_compute(const DeclaredComputes& computes, std::string_view value,
                             size_t components = 2);
/// The same with every version component.
std::string full_label_of_compute(const DeclaredComputes& computes, std::string_view value);

/// Whether `COMPUTE`, `@ARCH` or `COMPUTE@ARCH`, both patterns as in conditions, matches the
/// variant.
bool matches_compute(std::string_view pattern, const Variant& variant);

}  // namespace pinwheel::matrix
