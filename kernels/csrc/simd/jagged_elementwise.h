#pragma once

#include "jobs/jagged_elementwise.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// `out[i] = a[i] + b[i]` or `a[i] * b[i]` for `count` elements, rounded once.
DECLARE_FOR_EACH_ISA(void combine(RealDtype dtype, Combine how, const void* a, const void* b,
                                  void* out, int64_t count);)

}  // namespace pinwheel::simd
