// Finds and repairs indices that are out of range for their tables.
//
// Bytes moved: every offset and every index is read once, and written only if it is wrong; that is
// the limit. First all threads look for wrong offsets, and each block writes how many it found.
// Only if there are any, one block repairs them. After that the indices of a table are contiguous,
// so a group of 32 lanes takes 512 consecutive ones, searches for the table of the first one once,
// and reads 16 bytes per lane as long as the whole word belongs to one table.
//
// Deterministic: repairs are prefix maxima, and counts are integers.

#include "jobs/bounds.h"

#include <cstring>

#include "gpu/device.h"
#include "units/word.h"

namespace pinwheel {
namespace bounds_kernels {

using namespace gpu;

constexpr int64_t kTile = 512;

/// Adds the sum over all 32 lanes to memory, unless it is 0.
__device__ inline void add_from_lanes(long long number, int64_t* sum) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) number += shuffle_xor(number, mask);
  if (number != 0 && threadIdx.x % kLanes == 0) atomic_add(sum, static_cast<int64_t>(number));
}

/// The sum over the block. All threads must call it.
__device__ inline long long block_total(long long number, long long* group_totals) {
  for (int mask = kLanes / 2; mask > 0; mask /= 2) number += shuffle_xor(number, mask);
  if (threadIdx.x % kLanes == 0) group_totals[threadIdx.x / kLanes] = number;
  __syncthreads();
  long long total = 0;
  for (int g = 0; g < kGroups; ++g) total += group_totals[g];
  return total;
}

/// Clears the warnings too, because later kernels add to them.
template <class Index, class Offset>
__global__ void bad_offsets_kernel(BoundsJob<Index, Offset> job, int64_t* bad_offsets) {
  __shared__ long long group_totals[kGroups];
  const int64_t numbers = job.bags.bags + 1;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  const int64_t lane = threadIdx.x;
  long long bad = 0;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + lane; i < numbers; i += stride) {
    const int64_t offset = job.offsets[i];
    const int64_t least = i == 0 ? 0 : static_cast<int64_t>(job.offsets[i - 1]);
    const bool wrong =
        offset < least || offset > job.count || (i == job.bags.bags && offset != job.count);
    bad += wrong ? 1 : 0;
  }
  const long long all = block_total(bad, group_totals);
  if (threadIdx.x != 0) return;
  bad_offsets[blockIdx.x] = all;
  if (blockIdx.x == 0 && job.warnings != nullptr) *job.warnings = 0;
}

/// Prefix maxima over the threads of a block: inclusive, exclusive, and the block's maximum. All
/// threads must call it; numbers are non-negative.
struct BlockMost {
  long long inclusive;
  long long exclusive;
  long long all;
};

__device__ inline long long larger(long long a, long long b) {
  return a > b ? a : b;
}

__device__ inline BlockMost block_most(long long number, long long* group_mosts) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  long long most = number;
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const long long other = shuffle_up(most, distance);
    if (lane >= distance) most = larger(most, other);
  }
  const long long before_lane = shuffle_up(most, 1);
  if (lane == kLanes - 1) group_mosts[group] = most;
  __syncthreads();
  long long before = 0;
  long long all = 0;
  for (int g = 0; g < kGroups; ++g) {
    if (g < group) before = larger(before, group_mosts[g]);
    all = larger(all, group_mosts[g]);
  }
  __syncthreads();  // before the caller's next iteration writes group_mosts
  return {larger(before, most), lane == 0 ? before : larger(before, before_lane), all};
}

/// One block. `bad_offsets` are `counts` numbers, from which nothing is repaired if all are 0.
template <class Index, class Offset>
__global__ void repair_offsets_kernel(BoundsJob<Index, Offset> job, const int64_t* bad_offsets,
                                      int64_t counts) {
  __shared__ long long group_mosts[kGroups];
  long long bad = 0;
  for (int64_t c = threadIdx.x; c < counts; c += kThreads) bad += bad_offsets[c];
  if (block_total(bad, group_mosts) == 0) return;
  const int64_t last = job.bags.bags;
  const long long count = job.count;
  const long long first_given = last == 0 ? count : static_cast<long long>(job.offsets[0]);
  __syncthreads();  // read before it is repaired
  long long carried = 0;
  long long warnings = 0;
  for (int64_t first = 0; first <= last; first += kThreads) {
    const int64_t i = first + threadIdx.x;
    const bool inside = i <= last;
    const long long given = inside ? static_cast<long long>(job.offsets[i]) : 0;
    const long long wanted = i == last ? count : given;
    const long long cut = wanted < 0 ? 0 : wanted > count ? count : wanted;
    const BlockMost most = block_most(inside ? cut : 0, group_mosts);
    const long long before = larger(carried, most.exclusive);
    // The bag that ends here; for the first bag also its start.
    const long long start = i == 1 ? first_given : before;
    if (inside && i > 0 && (start < 0 || start > wanted || wanted > count)) ++warnings;
    if (i == last && given != count) ++warnings;
    if (inside) job.offsets[i] = static_cast<Offset>(larger(carried, most.inclusive));
    carried = larger(carried, most.all);
  }
  if (job.warnings != nullptr) add_from_lanes(warnings, job.warnings);
}

/// Checks index `at` of the table; returns 1 if it was wrong.
template <class Index, class Offset>
__device__ long long check_index(const BoundsJob<Index, Offset>& job, Index number, int64_t at,
                                 int64_t rows) {
  if (is_row(static_cast<int64_t>(number), rows)) return 0;
  if (job.repair) job.indices[at] = 0;
  return 1;
}

template <class Index, class Offset>
__global__ void bad_indices_kernel(BoundsJob<Index, Offset> job, int64_t begin_of_words) {
  constexpr int64_t kWord = 16 / static_cast<int64_t>(sizeof(Index));
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  const int64_t lane = threadIdx.x % kLanes;
  long long bad = 0;
  // Tiles are aligned to 16 bytes; the first one may start before the indices.
  for (int64_t tile = group; tile * kTile - begin_of_words < job.count; tile += groups) {
    const int64_t first = tile * kTile - begin_of_words;
    int64_t t = -2;  // not searched yet
    int64_t table_begin = 0;
    int64_t table_end = 0;
    int64_t rows = 0;
    for (int64_t step = lane * kWord; step < kTile; step += kLanes * kWord) {
      const int64_t word = first + step;
      Index numbers[kWord] = {};
      const bool whole = word >= 0 && word + kWord <= job.count;
      if (whole) {
        const Word16 read = *reinterpret_cast<const Word16*>(job.indices + word);
        memcpy(numbers, &read, sizeof(read));
      }
      for (int64_t k = 0; k < kWord; ++k) {
        const int64_t at = word + k;
        if (at < 0 || at >= job.count) continue;
        if (t == -2 || at < table_begin || at >= table_end) {
          t = table_of(job.bags, at);
          table_begin = at;
          table_end = t < 0 ? at + 1 : job.bags.first_index(t + 1);
          rows = t < 0 ? 0 : job.rows[t];
        }
        if (t >= 0) bad += check_index(job, whole ? numbers[k] : job.indices[at], at, rows);
      }
    }
  }
  if (job.warnings != nullptr) add_from_lanes(bad, job.warnings);
}

constexpr const char* kName = "bounds_check_indices";

}  // namespace bounds_kernels

using namespace bounds_kernels;

int64_t gpu_offset_counts(int64_t bags) {
  constexpr int64_t kMostCounts = 1024;  // one block adds them up
  return std::min(kMostCounts, blocks_for(bags + 1, kThreads));
}

template <class Index, class Offset>
void run_gpu(const BoundsJob<Index, Offset>& job, int64_t* bad_offsets, void* stream_in) {
  const Stream stream = static_cast<Stream>(stream_in);
  const int64_t counts = gpu_offset_counts(job.bags.bags);
  launch(kName, &bad_offsets_kernel<Index, Offset>, counts, stream, job, bad_offsets);
  if (job.repair) {
    launch(kName, &repair_offsets_kernel<Index, Offset>, 1, stream, job,
           static_cast<const int64_t*>(bad_offsets), counts);
  }
  if (job.count == 0 || job.bags.tables == 0) return;
  const uint64_t odd_bytes = reinterpret_cast<uintptr_t>(job.indices) % 16;
  const int64_t before = static_cast<int64_t>(odd_bytes / sizeof(Index));
  const int64_t tiles = (job.count + before + kTile - 1) / kTile;
  launch(kName, &bad_indices_kernel<Index, Offset>, blocks_for(tiles, kGroups), stream, job,
         before);
}

template void run_gpu(const BoundsJob<int32_t, int32_t>&, int64_t*, void*);
template void run_gpu(const BoundsJob<int32_t, int64_t>&, int64_t*, void*);
template void run_gpu(const BoundsJob<int64_t, int32_t>&, int64_t*, void*);
template void run_gpu(const BoundsJob<int64_t, int64_t>&, int64_t*, void*);

}  // namespace pinwheel
