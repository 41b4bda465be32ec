#pragma once

#include <cstdint>

#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Whether all numbers are -1 or in [0, rows).
DECLARE_FOR_EACH_ISA(bool all_rows(const int32_t* numbers, int64_t count, int64_t rows);
                     bool all_rows(const int64_t* numbers, int64_t count, int64_t rows);)

/// Whether the numbers never decrease.
DECLARE_FOR_EACH_ISA(bool never_falls(const int32_t* numbers, int64_t count);
                     bool never_falls(const int64_t* numbers, int64_t count);)

}  // namespace pinwheel::simd
