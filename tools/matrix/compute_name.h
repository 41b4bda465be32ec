#pragma once
#include <string>

#include "base/result.h"

namespace pinwheel::matrix {

/// Checks a value of the axis `compute`: `cpu`, `cuda/X.Y` or `rocm/X.Y`, with one to three
/// components. Else a `config` error at that place; for a known family in another spelling
/// (`cuda-13.0`, `cu130`) the hint has the right one.
Done check_compute(const std::string& value, const Location& at);

}  // namespace pinwheel::matrix
