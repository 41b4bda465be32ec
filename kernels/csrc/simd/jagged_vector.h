#pragma once

#include "jobs/real_dtype.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Rows of `columns` elements, row l at `at` + l * `stride` elements. Nothing is read at or past
/// `end`.
struct StridedRows {
  const void* at = nullptr;
  const void* end = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t stride = 0;
};

DECLARE_FOR_EACH_ISA(
    /// out[c] = the sum over l of weights[l] * rows[l][c].
    void weighted_sum(RealDtype dtype, const void* weights, const StridedRows& rows, void* out);
    /// out[l] = the sum over c of vector[c] * rows[l][c].
    void dot_products(RealDtype dtype, const void* vector, const StridedRows& rows, void* out);
    /// For l in [0, rows) and h in [0, heads): out[l][h] = weights[h * weight_stride + l] *
    /// vectors[h], vectors of `columns` elements, stored contiguously.
    void outer_products(RealDtype dtype, const void* weights, int64_t weight_stride,
                        const void* vectors, int64_t rows, int64_t heads, int64_t columns,
                        void* out);)

}  // namespace pinwheel::simd
