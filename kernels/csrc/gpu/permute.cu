#include "jobs/permute.h"

#include "gpu/block_sum.h"
#include "gpu/device.h"
#include "gpu/tile_starts.h"
#include "gpu/with_word.h"
#include "index/split.h"
#include "units/permute_units.h"

// Roofline: memory, each value read and written once; reads start anywhere. If there are many
// values or many segments, a block searches for the segments of its tile of the output and marks
// where they start (tile_starts.h). Otherwise each thread searches for its segment, which takes
// fewer barriers. Small inputs are limited by the number of launches, usually three: one copies the
// lengths and adds them up, one computes the offsets of the input and of the output, and one copies
// values and weights. Many features of several lengths each take a fourth (totals_kernel), and so
// do weights that cannot be copied with the values.

namespace pinwheel {
namespace permute_kernels {

using namespace gpu;

constexpr int kAtOnce = 4;  // elements that a thread loads before it uses the first of them
constexpr int64_t kRound = kAtOnce * kThreads;
constexpr int64_t kPart = 2 * kRound;  // lengths of a long feature that one block takes

/// A feature of `batch` lengths takes whole blocks.
inline bool is_long(int64_t batch) {
  return batch >= kRound;
}

/// The feature that output feature `t` is a copy of, or -1.
template <class Index, class Entry>
PW_HD int64_t source_of(const PermuteLengthsJob<Index, Entry>& job, int64_t t) {
  const int64_t feature = job.permute[t];
  return feature >= 0 && feature < job.features_in ? feature : -1;
}

/// The sum over the block, in its first thread. All threads must call it.
__device__ inline int64_t block_total(unsigned long long sum, unsigned long long* group_totals) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  if (threadIdx.x % kLanes == 0) group_totals[threadIdx.x / kLanes] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int g = 1; g < kGroups; ++g) sum += group_totals[g];
  }
  __syncthreads();  // before the next sum is written
  return static_cast<int64_t>(sum);
}

/// Calls `load(i, k)` for kAtOnce positions i of [begin, end) at a time, then `use(i, k)` for the
/// same positions.
template <class Load, class Use>
__device__ void for_each_round(int64_t begin, int64_t end, const Load& load, const Use& use) {
  for (int64_t first = begin + threadIdx.x; first < end; first += kRound) {
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (first + k * kThreads < end) load(first + k * kThreads, k);
    }
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (first + k * kThreads < end) use(first + k * kThreads, k);
    }
  }
}

/// The sum of [begin, end) of `numbers`, in the block's first thread.
template <class Number>
__device__ int64_t total_within(const Number* numbers, int64_t begin, int64_t end,
                                unsigned long long* group_totals) {
  unsigned long long sum = 0;  // wraps around where contents are wrong
  Number number[kAtOnce] = {};
  for_each_round(
      begin, end, [&](int64_t i, int k) { number[k] = numbers[i]; },
      [&](int64_t, int k) { sum += static_cast<unsigned long long>(number[k]); });
  return block_total(sum, group_totals);
}

/// For features of one length. A block per chunk: of the input, then of the output.
template <class Index, class Entry>
__global__ void single_lengths_kernel(PermuteLengthsJob<Index, Entry> job, int64_t in_chunks) {
  __shared__ unsigned long long group_totals[kGroups];
  const bool is_in = blockIdx.x < in_chunks;
  const int64_t chunk = is_in ? blockIdx.x : blockIdx.x - in_chunks;
  const int64_t begin = chunk * job.chunk;
  const int64_t count = is_in ? job.features_in : job.features_out;
  const int64_t end = begin + job.chunk < count ? begin + job.chunk : count;
  if (is_in) {
    const int64_t total = total_within(job.lengths, begin, end, group_totals);
    if (threadIdx.x == 0) job.in_totals[chunk] = total;
    return;
  }
  unsigned long long sum = 0;
  for (int64_t first = begin + threadIdx.x; first < end; first += kRound) {
    int64_t source[kAtOnce];
    Index length[kAtOnce] = {};
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      const int64_t t = first + k * kThreads;
      source[k] = t < end ? source_of(job, t) : -1;
    }
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (source[k] >= 0) length[k] = job.lengths[source[k]];
    }
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      const int64_t t = first + k * kThreads;
      if (t >= end) continue;
      job.out_lengths[t] = length[k];
      job.sources[t] = source[k];
      sum += static_cast<unsigned long long>(length[k]);
    }
  }
  const int64_t total = block_total(sum, group_totals);
  if (threadIdx.x == 0) job.out_totals[chunk] = total;
}

/// A block per part of a feature: of the input, which it adds up, then of the output, which it
/// copies.
template <class Index, class Entry>
__global__ void long_lengths_kernel(PermuteLengthsJob<Index, Entry> job, int64_t part_length) {
  __shared__ unsigned long long group_totals[kGroups];
  const int64_t sums = job.features_in * job.parts;
  for (int64_t task = blockIdx.x; task < sums + job.features_out * job.parts; task += gridDim.x) {
    const bool is_in = task < sums;
    const Split at = split(is_in ? task : task - sums, job.parts);
    const int64_t begin = at.rest * part_length;
    const int64_t end = begin + part_length < job.batch ? begin + part_length : job.batch;
    if (is_in) {
      const Index* const lengths = job.lengths + at.quotient * job.batch;
      const int64_t sum = total_within(lengths, begin, end, group_totals);
      if (threadIdx.x == 0) job.sums[task] = sum;
      continue;
    }
    const int64_t source = source_of(job, at.quotient);
    if (threadIdx.x == 0 && at.rest == 0) job.sources[at.quotient] = source;
    const Index* const from = job.lengths + source * job.batch;
    Index* const to = job.out_lengths + at.quotient * job.batch;
    Index length[kAtOnce] = {};
    for_each_round(
        begin, end, [&](int64_t b, int k) { length[k] = source < 0 ? Index{0} : from[b]; },
        [&](int64_t b, int k) { to[b] = length[k]; });
  }
}

/// `width` lanes per input feature, a power of two up to a group, in the first `sum_blocks` blocks;
/// a thread per length of the output, and one more per feature, in the others.
template <class Index, class Entry>
__global__ void short_lengths_kernel(PermuteLengthsJob<Index, Entry> job, int width,
                                     int64_t sum_blocks) {
  const int64_t block = blockIdx.x;
  if (block < sum_blocks) {
    const int lane = static_cast<int>(threadIdx.x) % width;
    const int per_block = kThreads / width;
    for (int64_t first = block * per_block; first < job.features_in;
         first += sum_blocks * per_block) {
      const int64_t t = first + static_cast<int>(threadIdx.x) / width;
      unsigned long long sum = 0;  // wraps around where contents are wrong
      for (int64_t b = lane; b < job.batch && t < job.features_in; b += width) {
        sum += static_cast<unsigned long long>(job.lengths[t * job.batch + b]);
      }
      for (int mask = width / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
      if (lane == 0 && t < job.features_in) job.sums[t] = static_cast<int64_t>(sum);
    }
    return;
  }
  const int64_t count = job.features_out * (job.batch + 1);
  const int64_t stride = (gridDim.x - sum_blocks) * kThreads;
  for (int64_t i = (block - sum_blocks) * kThreads + threadIdx.x; i < count; i += stride) {
    permute_lengths_unit(job, i);
  }
}

/// Adds kAtOnce adjacent numbers from `first` on, as far as they are below `end`, to `sums`. Loads
/// one part of all of them at a time.
template <class Number>
__device__ void add_numbers(const SegmentOffsets<Number>& side, int64_t first, int64_t end,
                            unsigned long long (&sums)[kAtOnce]) {
  int64_t from[kAtOnce];
  PW_UNROLL
  for (int k = 0; k < kAtOnce; ++k) {
    from[k] = first + k;
    if (from[k] >= end) {
      from[k] = -1;
    } else if (side.sources != nullptr) {
      from[k] = side.sources[from[k]];
    }
  }
  for (int64_t p = 0; p < side.parts; ++p) {
    Number part[kAtOnce] = {};
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (from[k] >= 0) part[k] = side.numbers[from[k] * side.parts + p];
    }
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) sums[k] += static_cast<unsigned long long>(part[k]);
  }
}

inline int64_t chunks_of(int64_t count, int64_t chunk) {
  return count <= chunk ? 1 : (count + chunk - 1) / chunk;
}

/// The totals of the chunks, if no kernel has added them up yet. A block per chunk of the input,
/// then of the output.
template <class Number>
__global__ void totals_kernel(SegmentOffsetsJob<Number> job, int64_t in_chunks) {
  __shared__ unsigned long long group_totals[kGroups];
  const bool is_in = blockIdx.x < in_chunks;
  const int64_t chunk = is_in ? blockIdx.x : blockIdx.x - in_chunks;
  // A copy: a reference to one of two parameters would move both to local memory.
  SegmentOffsets<Number> side = job.in;
  if (!is_in) side = job.out;
  const int64_t begin = chunk * job.chunk;
  const int64_t end = begin + job.chunk < side.count ? begin + job.chunk : side.count;
  unsigned long long sum = 0;
  for (int64_t first = begin; first < end; first += kRound) {
    unsigned long long sums[kAtOnce] = {};
    add_numbers(side, first + kAtOnce * static_cast<int64_t>(threadIdx.x), end, sums);
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) sum += sums[k];
  }
  const int64_t total = block_total(sum, group_totals);
  if (threadIdx.x == 0) side.totals[chunk] = total;
}

/// A block per chunk of the input, then of the output. It adds up the totals of the chunks before.
template <class Number>
__global__ void offsets_kernel(SegmentOffsetsJob<Number> job, int64_t in_chunks) {
  __shared__ unsigned long long group_totals[kGroups];
  const bool is_in = blockIdx.x < in_chunks;
  const int64_t chunk = is_in ? blockIdx.x : blockIdx.x - in_chunks;
  // A copy: a reference to one of two parameters would move both to local memory.
  SegmentOffsets<Number> side = job.in;
  if (!is_in) side = job.out;
  const int64_t begin = chunk * job.chunk;
  const int64_t end = begin + job.chunk < side.count ? begin + job.chunk : side.count;
  unsigned long long before = 0;
  for (int64_t c = threadIdx.x; c < chunk; c += kThreads) {
    before += static_cast<unsigned long long>(side.totals[c]);
  }
  if (chunk > 0) before = block_sum(before, group_totals).total;
  if (chunk == 0 && threadIdx.x == 0) side.offsets[0] = 0;
  for (int64_t first = begin; first < end; first += kRound) {
    unsigned long long sums[kAtOnce] = {};
    const int64_t mine = first + kAtOnce * static_cast<int64_t>(threadIdx.x);
    add_numbers(side, mine, end, sums);
    PW_UNROLL
    for (int k = 1; k < kAtOnce; ++k) sums[k] += sums[k - 1];
    const BlockSum<unsigned long long> sum = block_sum(sums[kAtOnce - 1], group_totals);
    const unsigned long long start = before + sum.inclusive - sums[kAtOnce - 1];
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (mine + k < end) side.offsets[mine + k + 1] = static_cast<int64_t>(start + sums[k]);
    }
    before += sum.total;
  }
}

template <class Word>
struct CopySegments {
  SegmentCopyJob job;
  PW_HD void operator()(int64_t i) const { segment_copy_unit<Word>(job, i); }
};

constexpr int kMostTile = 2048;

/// Added to a position of the output, the position in the input; below any if there is none.
__device__ inline int64_t shift_of(const SegmentCopyJob& job, int64_t segment) {
  if (segment < 0 || segment >= job.segments) return INT64_MIN;
  const int64_t at = start_of(job, segment);
  return at == INT64_MIN ? at : wrapping_difference(at, job.offsets[segment]);
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

/// The words that a thread moves together: loaded from the input, then stored in the output.
template <class Word>
struct MovedWords {
  Word words[kAtOnce] = {};

  __device__ void load(const SegmentCopyJob& job, int k, int64_t from) {
    if (from >= 0 && from < job.in_elements) words[k] = static_cast<const Word*>(job.in)[from];
  }
  __device__ void store(const SegmentCopyJob& job, int k, int64_t to) const {
    static_cast<Word*>(job.out)[to] = words[k];
  }
};

/// Takes the place of a second job's words if there is none.
struct NoWord {};
template <>
struct MovedWords<NoWord> {
  __device__ void load(const SegmentCopyJob&, int, int64_t) {}
  __device__ void store(const SegmentCopyJob&, int, int64_t) const {}
};

/// For elements of one column of one job, or of two with the same segments and elements.
template <class Word, class OtherWord>
__global__ void copy_tiles_kernel(SegmentCopyJob job, SegmentCopyJob other, int tile_size) {
  __shared__ TileStarts<kMostTile> starts;
  __shared__ int64_t shifts[kMostTile];
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
    for (int first = static_cast<int>(threadIdx.x); first < size; first += kRound) {
      MovedWords<Word> words;
      MovedWords<OtherWord> other_words;
      PW_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        const int at = first + k * kThreads;
        if (at >= size) continue;
        const int start = starts.last_at(at);
        const int64_t from = wrapping_sum(start < 0 ? carried : shifts[start], tile + at);
        words.load(job, k, from);
        other_words.load(other, k, from);
      }
      PW_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        const int at = first + k * kThreads;
        if (at >= size) continue;
        words.store(job, k, tile + at);
        other_words.store(other, k, tile + at);
      }
    }
  }
}

/// Whether tiles are worth their barriers.
inline bool is_tiled(const SegmentCopyJob& job) {
  return job.columns == 1 && (job.out_elements >= 1 << 18 || job.segments >= 1 << 10);
}

constexpr const char* kName = "permute_sparse_data";

inline void copy(const SegmentCopyJob& job, Stream stream) {
  with_word(job.word_bytes, [&](auto word) {
    using Word = decltype(word);
    if (is_tiled(job) && job.out_elements > 0) {
      const int tile_size = tile_size_for(job.out_elements, 512, kMostTile);
      return launch(kName, &copy_tiles_kernel<Word, NoWord>,
                    blocks_for(job.out_elements, tile_size), stream, job, SegmentCopyJob{},
                    tile_size);
    }
    launch_units(kName, CopySegments<Word>{job}, job.out_elements * job.columns, stream);
  });
}

/// Both jobs in one launch, for the most common widths. False if it does not support theirs.
inline bool copy_together(const SegmentCopyJob& first, const SegmentCopyJob& second,
                          Stream stream) {
  if (!is_tiled(first) || first.out_elements == 0 || second.columns != 1) return false;
  if (first.in_elements != second.in_elements || second.word_bytes != 4) return false;
  const int tile_size = tile_size_for(first.out_elements, 512, kMostTile);
  const int64_t blocks = blocks_for(first.out_elements, tile_size);
  if (first.word_bytes == 8) {
    launch(kName, &copy_tiles_kernel<uint64_t, uint32_t>, blocks, stream, first, second, tile_size);
    return true;
  }
  if (first.word_bytes != 4) return false;
  launch(kName, &copy_tiles_kernel<uint32_t, uint32_t>, blocks, stream, first, second, tile_size);
  return true;
}

}  // namespace permute_kernels

using namespace permute_kernels;

int64_t gpu_permute_chunk(int64_t count) {
  constexpr int64_t kMostChunks = 1024;
  const int64_t least = (count + kMostChunks - 1) / kMostChunks;
  return std::max<int64_t>(1, (least + kRound - 1) / kRound) * kRound;
}

int64_t gpu_permute_parts(int64_t batch) {
  constexpr int64_t kMostParts = 16;  // one thread adds them up
  return is_long(batch) ? std::min(kMostParts, (batch + kPart - 1) / kPart) : 1;
}

template <class Index, class Entry>
void run_gpu(const PermuteLengthsJob<Index, Entry>& job, void* stream_in) {
  const Stream stream = static_cast<Stream>(stream_in);
  if (job.batch == 1) {
    const int64_t in_chunks = chunks_of(job.features_in, job.chunk);
    const int64_t blocks = in_chunks + chunks_of(job.features_out, job.chunk);
    return launch(kName, &single_lengths_kernel<Index, Entry>, blocks, stream, job, in_chunks);
  }
  if (job.features_in == 0 && job.features_out == 0) return;
  if (is_long(job.batch)) {
    const int64_t tasks = (job.features_in + job.features_out) * job.parts;
    const int64_t part_length = (job.batch + job.parts - 1) / job.parts;
    return launch(kName, &long_lengths_kernel<Index, Entry>, blocks_for(tasks, 1), stream, job,
                  part_length);
  }
  int width = 1;
  while (width < kLanes && width < job.batch) width *= 2;
  const int64_t sum_blocks = blocks_for(job.features_in, kThreads / width);
  const int64_t blocks = sum_blocks + blocks_for(job.features_out * (job.batch + 1), kThreads);
  launch(kName, &short_lengths_kernel<Index, Entry>, blocks, stream, job, width, sum_blocks);
}

template <class Number>
void run_gpu(const SegmentOffsetsJob<Number>& job, void* stream_in) {
  const Stream stream = static_cast<Stream>(stream_in);
  const int64_t in_chunks = chunks_of(job.in.count, job.chunk);
  const int64_t blocks = in_chunks + chunks_of(job.out.count, job.chunk);
  if (job.out.sources != nullptr && blocks > 2) {
    launch(kName, &totals_kernel<Number>, blocks, stream, job, in_chunks);
  }
  launch(kName, &offsets_kernel<Number>, blocks, stream, job, in_chunks);
}

void run_gpu(const SegmentCopyJob& first, const SegmentCopyJob* second, void* stream_in) {
  const Stream stream = static_cast<Stream>(stream_in);
  if (second != nullptr && copy_together(first, *second, stream)) return;
  copy(first, stream);
  if (second != nullptr) copy(*second, stream);
}

template void run_gpu(const PermuteLengthsJob<int32_t, int32_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int32_t, int64_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int64_t, int32_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int64_t, int64_t>&, void*);
template void run_gpu(const SegmentOffsetsJob<int32_t>&, void*);
template void run_gpu(const SegmentOffsetsJob<int64_t>&, void*);

}  // namespace pinwheel
