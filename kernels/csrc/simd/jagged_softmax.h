#pragma once

#include "jobs/real_dtype.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

DECLARE_FOR_EACH_ISA(
    /// The softmax down each of `columns` columns of `rows` contiguous rows.
    void softmax(RealDtype dtype, const void* values, int64_t rows, int64_t columns, void* out);
    /// out = softmax * (gradient - the column's sum of softmax * gradient).
    void softmax_gradient(RealDtype dtype, const void* gradient, const void* softmax, int64_t rows,
                          int64_t columns, void* out);)

}  // namespace pinwheel::simd
