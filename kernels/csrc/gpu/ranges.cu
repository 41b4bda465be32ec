#include "jobs/ranges.h"

#include "gpu/device.h"
#include "gpu/tile_starts.h"
#include "units/ranges_units.h"

// Roofline: memory. offsets_range writes `size` elements and reads each start once: a block
// searches for the segments of its tile and marks their starts (tile_starts.h), and each thread
// writes 16 bytes of the result at once. If there are few starts and positions, latency is the
// limit, and a block reads all starts instead of searching. FBGEMM assigns each segment to a group
// of threads, which leaves most of them idle when segments are short and most of the device idle
// when one segment is long. segment_sum_csr reads every value once: a group of 32 lanes per segment
// if segments are short, a block of 256 threads if they are long on average or few, in loads of 16
// bytes; partial sums are added in a fixed order, so that results are deterministic.

namespace pinwheel {
namespace ranges_kernels {

using namespace gpu;

constexpr int kMostTile = 4096;

/// The numbers of the positions from `at` of the tile on. `carried` is where the segment started
/// that the tile's first position belongs to; positions before the first start get 0.
template <class Index>
__device__ Pack<Index, kPositions<Index>> numbers_at(const TileStarts<kMostTile>& starts,
                                                     int64_t tile, int at, bool is_carried,
                                                     int64_t carried) {
  Pack<Index, kPositions<Index>> numbers;
  const uint32_t marks = starts.marks_from(at);
  int start = starts.last_at(at);
  PW_UNROLL
  for (int k = 0; k < kPositions<Index>; ++k) {
    if ((marks >> k & 1u) != 0) start = at + k;
    int64_t number = is_carried ? wrapping_difference(tile + at + k, carried) : 0;
    if (start >= 0) number = at + k - start;
    numbers.at[k] = static_cast<Index>(number);
  }
  return numbers;
}

/// The starts of a tile are marked. `low` is how many starts are at most the tile's first position.
template <class Index>
__device__ void write_tile(const OffsetsRangeJob<Index>& job, const TileStarts<kMostTile>& starts,
                           int64_t tile, int size, int64_t low) {
  constexpr int kNumbers = kPositions<Index>;
  using Numbers = Pack<Index, kNumbers>;
  const bool is_carried = low > 0;
  const int64_t carried = is_carried ? static_cast<int64_t>(job.starts[low - 1]) : 0;
  for (int at = static_cast<int>(threadIdx.x) * kNumbers; at < size; at += kThreads * kNumbers) {
    const Numbers numbers = numbers_at<Index>(starts, tile, at, is_carried, carried);
    // torch's allocations are aligned to more than 16 bytes.
    if (at + kNumbers <= size) {
      *reinterpret_cast<Numbers*>(job.out + tile + at) = numbers;
      continue;
    }
    PW_UNROLL
    for (int k = 0; k < kNumbers; ++k) {
      if (at + k < size) job.out[tile + at + k] = numbers.at[k];
    }
  }
}

template <class Index>
__device__ void mark_start(TileStarts<kMostTile>& starts, Index start, int64_t tile, int size) {
  const uint64_t at = static_cast<uint64_t>(wrapping_difference(start, tile));
  if (at < static_cast<uint64_t>(size)) starts.mark(static_cast<int>(at));
}

template <class Index>
__global__ void offsets_range_kernel(OffsetsRangeJob<Index> job, int tile_size) {
  __shared__ TileStarts<kMostTile> starts;
  for (int64_t tile = blockIdx.x * static_cast<int64_t>(tile_size); tile < job.size;
       tile += gridDim.x * static_cast<int64_t>(tile_size)) {
    const int64_t left = job.size - tile;
    const int size = left < tile_size ? static_cast<int>(left) : tile_size;
    __syncthreads();  // other threads may still read the last tile's starts
    starts.clear();
    const TileSpan span = span_of_tile(job.starts, job.count, tile, tile + size - 1);
    for (int64_t s = span.low + threadIdx.x; s < span.high; s += kThreads) {
      mark_start(starts, job.starts[s], tile, size);
    }
    __syncthreads();
    write_tile(job, starts, tile, size, span.low);
  }
}

constexpr int kFewStarts = 8 * kThreads;

/// For at most kFewStarts starts and a block per tile: each block reads all starts at once, where
/// the loads of a search would wait for one another.
template <class Index>
__global__ void few_starts_kernel(OffsetsRangeJob<Index> job, int tile_size) {
  __shared__ TileStarts<kMostTile> starts;
  __shared__ int low;
  constexpr int kOfThread = kFewStarts / kThreads;
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t tile = blockIdx.x * static_cast<int64_t>(tile_size);
  const int64_t left = job.size - tile;
  const int size = left < tile_size ? static_cast<int>(left) : tile_size;
  Index mine[kOfThread] = {};
  PW_UNROLL
  for (int k = 0; k < kOfThread; ++k) {
    if (thread + k * kThreads < job.count) mine[k] = job.starts[thread + k * kThreads];
  }
  starts.clear();
  if (thread == 0) low = 0;
  __syncthreads();
  int not_above = 0;
  PW_UNROLL
  for (int k = 0; k < kOfThread; ++k) {
    if (thread + k * kThreads >= job.count) continue;
    not_above += static_cast<int64_t>(mine[k]) <= tile ? 1 : 0;
    mark_start(starts, mine[k], tile, size);
  }
  for (int mask = kLanes / 2; mask > 0; mask /= 2) not_above += shuffle_xor(not_above, mask);
  if (thread % kLanes == 0 && not_above > 0) atomic_add(&low, not_above);
  __syncthreads();
  write_tile(job, starts, tile, size, low);
}

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
  constexpr int64_t kFewSegments = 1024;  // groups of 32 lanes would leave most of a GPU idle
  constexpr int64_t kLongIfFew = 2 * kLanes * kElements;
  const int64_t length = job.size / job.segments;
  if (length >= kLong || (job.segments <= kFewSegments && length >= kLongIfFew)) {
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
  if (job.size == 0) return;
  constexpr int64_t kFewPositions = int64_t{1} << 20;
  const int tile_size = tile_size_for(job.size, 1024, kMostTile);
  const bool few = job.count <= kFewStarts && job.size <= kFewPositions;
  launch("offsets_range", few ? &few_starts_kernel<Index> : &offsets_range_kernel<Index>,
         blocks_for(job.size, tile_size), static_cast<Stream>(stream), job, tile_size);
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
