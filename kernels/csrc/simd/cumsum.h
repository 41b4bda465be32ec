#pragma once

#include <cstdint>

#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Prefix sums of `count` integers, starting from `start`, inclusive or exclusive. `in` and `out`
/// must not overlap.
DECLARE_FOR_EACH_ISA(void scan(const uint32_t* in, uint32_t* out, int64_t count, uint32_t start,
                               bool exclusive);
                     void scan(const uint64_t* in, uint64_t* out, int64_t count, uint64_t start,
                               bool exclusive);
                     uint32_t sum(const uint32_t* in, int64_t count);
                     uint64_t sum(const uint64_t* in, int64_t count);)

}  // namespace pinwheel::simd
