#include "jobs/ranges.h"

#include "gpu/device.h"
#include "units/ranges_units.h"

// Roofline: memory. offsets_range writes `size` elements and reads the starts, which stay in the
// caches: each thread writes 16 bytes of the result after one search. FBGEMM assigns each segment
// to a group of threads, which leaves most of them idle when segments are short and most of the
// device idle when one segment is long. segment_sum_csr reads every value once: a group of 32 lanes
// per segment if segments are short, a block of 256 threads if they are long on average, in loads
// of 16 bytes; partial sums are added in a fixed order, so that results are deterministic.

namespace pinwheel {
namespace ranges_kernels {

using namespace gpu;

template <class Index>
struct OffsetsRange {
  OffsetsRangeJob<Index> job;
  PW_HD void operator()(int64_t i) const { offsets_range_unit(job, i); }
};

/// Integers are shuffled as types for which both vendors overload their shuffles.
template <class Sum>
__device__ Sum sum_of_group(Sum sum) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  return sum;
}
__device__ inline uint64_t sum_of_group(uint64_t number) {
  unsigned long long sum = number;
  for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  return sum;
}

template <class Element, int kElements, class Index>
__global__ void group_sum_kernel(SegmentSumJob<Index> job) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  for (int64_t s = group; s < job.segments; s += groups) {
    const auto sum = sum_of_group(segment_sum_part<Element, kElements>(job, s, lane, kLanes));
    if (lane == 0) from_sum(sum, static_cast<Element*>(job.out)[s]);
  }
}

template <class Element, int kElements, class Index>
__global__ void block_sum_kernel(SegmentSumJob<Index> job) {
  using Sum = typename SumOf<Element>::type;
  __shared__ Sum sums[kGroups];
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t s = blockIdx.x; s < job.segments; s += gridDim.x) {
    const Sum part = sum_of_group(segment_sum_part<Element, kElements>(job, s, thread, kThreads));
    if (thread % kLanes == 0) sums[thread / kLanes] = part;
    __syncthreads();
    if (thread == 0) {
      Sum sum = 0;
      for (int g = 0; g < kGroups; ++g) sum += sums[g];
      from_sum(sum, static_cast<Element*>(job.out)[s]);
    }
    __syncthreads();
  }
}

template <class Element, int kElements, class Index>
void launch_sums(const SegmentSumJob<Index>& job, void* stream) {
  constexpr int64_t kLong = 4 * kThreads * kElements;
  if (job.size / job.segments >= kLong) {
    launch("segment_sum_csr", &block_sum_kernel<Element, kElements, Index>,
           blocks_for(job.segments, 1), static_cast<Stream>(stream), job);
  } else {
    launch("segment_sum_csr", &group_sum_kernel<Element, kElements, Index>,
           blocks_for(job.segments, kGroups), static_cast<Stream>(stream), job);
  }
}

}  // namespace ranges_kernels

using namespace ranges_kernels;

template <class Index>
void run_gpu(const OffsetsRangeJob<Index>& job, void* stream) {
  const int64_t units = (job.size + kPositions<Index> - 1) / kPositions<Index>;
  launch_units("offsets_range", OffsetsRange<Index>{job}, units, stream);
}

template <class Index>
void run_gpu(const SegmentSumJob<Index>& job, void* stream) {
  if (job.segments == 0) return;
  with_sum_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    if (pack_elements<Element>(address(job.values)) == 1) {
      launch_sums<Element, 1>(job, stream);
    } else {
      launch_sums<Element, static_cast<int>(16 / sizeof(Element))>(job, stream);
    }
  });
}

template void run_gpu(const OffsetsRangeJob<int32_t>&, void*);
template void run_gpu(const OffsetsRangeJob<int64_t>&, void*);
template void run_gpu(const SegmentSumJob<int32_t>&, void*);
template void run_gpu(const SegmentSumJob<int64_t>&, void*);

}  // namespace pinwheel
