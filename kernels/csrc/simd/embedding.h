#pragma once

#include "jobs/embedding.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Bags [first, last) of a job whose tables and offsets have been checked. Returns the first
/// position whose index is out of range, in which case the rest is not computed, or -1.
DECLARE_FOR_EACH_ISA(int64_t embedding_forward(const EmbeddingForwardJob<int32_t>& job,
                                               int64_t first, int64_t last);
                     int64_t embedding_forward(const EmbeddingForwardJob<int64_t>& job,
                                               int64_t first, int64_t last);)

}  // namespace pinwheel::simd
