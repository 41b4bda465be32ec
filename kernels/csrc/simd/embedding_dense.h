#pragma once

#include "jobs/embedding_dense.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Bags [first, last) of a job; see embedding_forward of simd/embedding.h.
DECLARE_FOR_EACH_ISA(int64_t indice_weights_gradient(const IndiceWeightsGradientJob<int32_t>& job,
                                                     int64_t first, int64_t last);
                     int64_t indice_weights_gradient(const IndiceWeightsGradientJob<int64_t>& job,
                                                     int64_t first, int64_t last);)

}  // namespace pinwheel::simd
