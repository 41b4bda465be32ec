#include "jobs/permute.h"

#include "gpu/device.h"
#include "gpu/tile_starts.h"
#include "gpu/with_word.h"
#include "units/permute_units.h"

// Roofline: memory, each value read and written once; reads start anywhere. If there are many
// values or many segments, a block searches for the segments of its tile of the output and marks
// where they start (tile_starts.h). Otherwise each thread searches for its segment, which takes
// fewer barriers.

namespace pinwheel {
namespace permute_kernels {

using namespace gpu;

/// `width` lanes per feature, a power of two up to a group.
template <class Index>
__global__ void feature_sums_kernel(FeatureSumsJob<Index> job, int width) {
  const int lane = static_cast<int>(threadIdx.x) % width;
  const int per_block = kThreads / width;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * per_block;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * per_block; first < job.features;
       first += stride) {
    const int64_t t = first + static_cast<int>(threadIdx.x) / width;
    unsigned long long sum = 0;  // wraps around where contents are wrong
    for (int64_t b = lane; b < job.batch && t < job.features; b += width) {
      sum += static_cast<unsigned long long>(job.lengths[t * job.batch + b]);
    }
    for (int mask = width / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane == 0 && t < job.features) job.sums[t] = static_cast<int64_t>(sum);
  }
}

/// One block per feature.
template <class Index>
__global__ void long_feature_sums_kernel(FeatureSumsJob<Index> job) {
  __shared__ unsigned long long sums[kGroups];
  const int thread = static_cast<int>(threadIdx.x);
  for (int64_t t = blockIdx.x; t < job.features; t += gridDim.x) {
    unsigned long long sum = 0;
    for (int64_t b = thread; b < job.batch; b += kThreads) {
      sum += static_cast<unsigned long long>(job.lengths[t * job.batch + b]);
    }
    for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (thread % kLanes == 0) sums[thread / kLanes] = sum;
    __syncthreads();
    if (thread == 0) {
      for (int g = 1; g < kGroups; ++g) sum += sums[g];
      job.sums[t] = static_cast<int64_t>(sum);
    }
    __syncthreads();  // before the next feature's sums are written
  }
}

template <class Index>
struct PermuteLengths {
  PermuteLengthsJob<Index> job;
  PW_HD void operator()(int64_t i) const { permute_lengths_unit(job, i); }
};

template <class Index>
struct PermuteSingleLengths {
  PermuteLengthsJob<Index> job;
  PW_HD void operator()(int64_t t) const { permute_single_lengths_unit(job, t); }
};

template <class Word>
struct CopySegments {
  SegmentCopyJob job;
  PW_HD void operator()(int64_t i) const { segment_copy_unit<Word>(job, i); }
};

constexpr int kMostTile = 2048;

/// Added to a position of the output, the position in the input; below any if there is none.
__device__ inline int64_t shift_of(const SegmentCopyJob& job, int64_t segment) {
  if (segment < 0 || segment >= job.segments) return INT64_MIN;
  return wrapping_difference(job.starts[segment], job.offsets[segment]);
}

/// Marks where the segments of the tile start, except the one that its first position belongs to,
/// and stores their shifts. Empty segments share their start with the next one and are left out.
__device__ inline void mark_segments(const SegmentCopyJob& job, const TileSpan& span, int64_t tile,
                                     int size, TileStarts<kMostTile>& starts, int64_t* shifts) {
  for (int64_t s = span.low + threadIdx.x; s < span.high; s += kThreads) {
    const int64_t start = job.offsets[s];
    const uint64_t at = static_cast<uint64_t>(wrapping_difference(start, tile));
    if (at >= static_cast<uint64_t>(size)) continue;
    if (s < job.segments && job.offsets[s + 1] <= start) continue;
    starts.mark(static_cast<int>(at));
    shifts[at] = shift_of(job, s);
  }
}

/// The element of the input at `from`, or zero bytes if that is outside.
template <class Word>
__device__ Word word_at(const SegmentCopyJob& job, int64_t from) {
  return from < 0 || from >= job.in_elements ? Word{} : static_cast<const Word*>(job.in)[from];
}

/// For elements of one column.
template <class Word>
__global__ void copy_tiles_kernel(SegmentCopyJob job, int tile_size) {
  __shared__ TileStarts<kMostTile> starts;
  __shared__ int64_t shifts[kMostTile];
  constexpr int kAtOnce = 4;  // elements that a thread loads before it stores the first of them
  for (int64_t tile = blockIdx.x * static_cast<int64_t>(tile_size); tile < job.out_elements;
       tile += gridDim.x * static_cast<int64_t>(tile_size)) {
    const int64_t left = job.out_elements - tile;
    const int size = left < tile_size ? static_cast<int>(left) : tile_size;
    __syncthreads();  // other threads may still read the last tile's starts
    starts.clear();
    const TileSpan span = span_of_tile(job.offsets, job.segments + 1, tile, tile + size - 1);
    const int64_t carried = shift_of(job, span.low - 1);
    mark_segments(job, span, tile, size, starts, shifts);
    __syncthreads();
    for (int first = static_cast<int>(threadIdx.x); first < size; first += kAtOnce * kThreads) {
      Word words[kAtOnce] = {};
      PW_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        const int at = first + k * kThreads;
        if (at >= size) continue;
        const int start = starts.last_at(at);
        words[k] = word_at<Word>(job, wrapping_sum(start < 0 ? carried : shifts[start], tile + at));
      }
      PW_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        const int at = first + k * kThreads;
        if (at < size) static_cast<Word*>(job.out)[tile + at] = words[k];
      }
    }
  }
}

/// Whether tiles are worth their barriers.
inline bool is_tiled(const SegmentCopyJob& job) {
  return job.columns == 1 && (job.out_elements >= 1 << 18 || job.segments >= 1 << 10);
}

}  // namespace permute_kernels

using namespace permute_kernels;

template <class Index>
void run_gpu(const FeatureSumsJob<Index>& job, void* stream) {
  if (job.features == 0) return;
  constexpr int64_t kLong = 4 * kThreads;
  if (job.batch >= kLong) {
    return launch("permute_2D_sparse_data", &long_feature_sums_kernel<Index>,
                  blocks_for(job.features, 1), static_cast<Stream>(stream), job);
  }
  int width = 1;
  while (width < kLanes && width < job.batch) width *= 2;
  launch("permute_2D_sparse_data", &feature_sums_kernel<Index>,
         blocks_for(job.features, kThreads / width), static_cast<Stream>(stream), job, width);
}

template <class Index>
void run_gpu(const PermuteLengthsJob<Index>& job, void* stream) {
  if (job.batch == 1) {
    return launch_units("permute_1D_sparse_data", PermuteSingleLengths<Index>{job},
                        job.features_out, stream);
  }
  launch_units("permute_2D_sparse_data", PermuteLengths<Index>{job},
               job.features_out * (job.batch + 1), stream);
}

void run_gpu(const SegmentCopyJob& job, void* stream) {
  with_word(job.word_bytes, [&](auto word) {
    if (is_tiled(job) && job.out_elements > 0) {
      const int tile_size = tile_size_for(job.out_elements, 512, kMostTile);
      return launch("permute_2D_sparse_data", &copy_tiles_kernel<decltype(word)>,
                    blocks_for(job.out_elements, tile_size), static_cast<Stream>(stream), job,
                    tile_size);
    }
    launch_units("permute_2D_sparse_data", CopySegments<decltype(word)>{job},
                 job.out_elements * job.columns, stream);
  });
}

template void run_gpu(const FeatureSumsJob<int32_t>&, void*);
template void run_gpu(const FeatureSumsJob<int64_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int32_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int64_t>&, void*);

}  // namespace pinwheel
