#pragma once

#include "jobs/quantize.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Rows [first, last) of a job.
DECLARE_FOR_EACH_ISA(void quantize(const QuantizeJob& job, int64_t first, int64_t last);
                     void dequantize(const DequantizeJob& job, int64_t first, int64_t last);)

}  // namespace pinwheel::simd
