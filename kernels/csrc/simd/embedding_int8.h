#pragma once

#include "jobs/embedding_int8.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// As embedding_forward of simd/embedding.h.
DECLARE_FOR_EACH_ISA(int64_t embedding_int8_forward(const Int8EmbeddingForwardJob<int32_t>& job,
                                                    int64_t first, int64_t last);
                     int64_t embedding_int8_forward(const Int8EmbeddingForwardJob<int64_t>& job,
                                                    int64_t first, int64_t last);)

}  // namespace pinwheel::simd
