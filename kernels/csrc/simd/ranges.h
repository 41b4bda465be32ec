#pragma once

#include "jobs/ranges.h"
#include "simd/each_isa.h"

namespace pinwheel::simd {

DECLARE_FOR_EACH_ISA(
    /// Positions [first, last) of a job. `start` is the last segment start that is at most `first`.
    void offsets_range(const OffsetsRangeJob<int32_t>& job, int64_t start, int64_t first,
                       int64_t last);
    void offsets_range(const OffsetsRangeJob<int64_t>& job, int64_t start, int64_t first,
                       int64_t last);
    /// Segments [first, last) of a job.
    void segment_sum(const SegmentSumJob<int32_t>& job, int64_t first, int64_t last);
    void segment_sum(const SegmentSumJob<int64_t>& job, int64_t first, int64_t last);)

}  // namespace pinwheel::simd
