#include "index/ranges.h"
#include "cpu/parallel.h"
#include "simd/ranges.h"

namespace pinwheel {

template <class Index>
void run_cpu(const OffsetsRangeJob<Index>& job) {
  // Writing alone is fast: starting threads pays off only from four times the usual bytes on.
  parallel_over(job.size, sizeof(Index) / 4, [&](int64_t first, int64_t last) {
    const int64_t start = last_start_at(job.starts, job.count, first);
    CALL_FOR_ISA(simd, offsets_range, job, start, first, last);
  });
}

template <class Index>
void run_cpu(const SegmentSumJob<Index>& job) {
  const int64_t bytes =
      with_sum_type(job.dtype, [](auto element) { return static_cast<int64_t>(sizeof(element)); });
  const int64_t bytes_each = job.size * bytes / job.segments + 1;
  parallel_over(job.segments, bytes_each, [&](int64_t first, int64_t last) {
    CALL_FOR_ISA(simd, segment_sum, job, first, last);
  });
}

template void run_cpu(const OffsetsRangeJob<int32_t>&);
template void run_cpu(const OffsetsRangeJob<int64_t>&);
template void run_cpu(const SegmentSumJob<int32_t>&);
template void run_cpu(const SegmentSumJob<int64_t>&);

}  // namespace pinwheel
