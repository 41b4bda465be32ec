// Finds and repairs indices that are out of range for their tables.
//
// Bytes moved: every offset and every index is read once, and written only if it is wrong; that is
// the limit. First all threads look for wrong offsets, and each block writes how many it found.
// Only if there are any, one block repairs them: in a launch of its own or, if indices are few, in
// the one that checks the indices. After that the indices of a table are contiguous, so a group of
// 32 lanes takes a tile of consecutive ones, searches for the table of the first one once, and
// reads 16 bytes per lane as long as the whole word belongs to one table.
//
// Deterministic: repairs are prefix maxima, and counts are integers.

#include "jobs/bounds.h"

#include <cstring>

#include "gpu/device.h"
#include "units/word.h"

namespace pinwheel {
namespace bounds_kernels {

using namespace gpu;

/// Few enough for one block to check them all if offsets are wrong.
constexpr int64_t kFewIndices = int64_t{5} << 17;

/// Tiles of `size` indices, aligned to 16 bytes: the first one starts `before` indices before the
/// first index.
struct Tiles {
  int64_t size;
  int64_t before;
};

/// Short tiles if there are too few indices for all groups of a GPU.
template <class Index>
Tiles tiles_of(const Index* indices, int64_t count) {
  const uint64_t odd_bytes = reinterpret_cast<uintptr_t>(indices) % 16;
  return {count <= kFewIndices ? 128 : 512, static_cast<int64_t>(odd_bytes / sizeof(Index))};
}

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

/// The sum of `counts` numbers over a block. All threads must call it, and pass a barrier before
/// they use `group_totals` again.
__device__ inline long long total_of(const int64_t* numbers, int64_t counts,
                                     long long* group_totals) {
  long long total = 0;
  for (int64_t c = threadIdx.x; c < counts; c += kThreads) total += numbers[c];
  return block_total(total, group_totals);
}

/// Repairs all offsets. All threads of one block must call it; no other may run.
template <class Index, class Offset>
__device__ void repair_offsets(const BoundsJob<Index, Offset>& job, long long* group_mosts) {
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

/// One block. Repairs nothing if all `counts` numbers of `bad_offsets` are 0.
template <class Index, class Offset>
__global__ void repair_offsets_kernel(BoundsJob<Index, Offset> job, const int64_t* bad_offsets,
                                      int64_t counts) {
  __shared__ long long group_mosts[kGroups];
  if (total_of(bad_offsets, counts, group_mosts) == 0) return;
  __syncthreads();  // other threads may still read group_mosts
  repair_offsets(job, group_mosts);
}

/// Checks index `at` of the table; returns 1 if it was wrong.
template <class Index, class Offset>
__device__ long long check_index(const BoundsJob<Index, Offset>& job, Index number, int64_t at,
                                 int64_t rows) {
  if (is_row(static_cast<int64_t>(number), rows)) return 0;
  if (job.repair) job.indices[at] = 0;
  return 1;
}

/// table_of() for the same index in all 32 lanes, which must call it together: they probe together,
/// so log32(tables) loads follow one another.
template <class Offset>
__device__ int64_t table_of_group(const TableBags<Offset>& bags, int64_t index) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  int64_t low = 0;
  int64_t high = bags.tables + 1;
  while (low < high) {
    const int64_t step = (high - low + kLanes - 1) / kLanes;
    const int64_t at = low + (lane + 1) * step - 1;
    const bool not_above = at < high && bags.first_index(at) <= index;
    low += count_of_bits(lanes_where(not_above)) * step;
    if (low + step - 1 < high) high = low + step - 1;
  }
  return low - 1 >= bags.tables ? -1 : low - 1;
}

/// The indices of one table, or one index that no table has.
template <class Index, class Offset>
struct OneTable {
  int64_t begin;
  int64_t end;
  int64_t rows;
  bool exists;

  __device__ OneTable(const BoundsJob<Index, Offset>& job, int64_t t, int64_t at)
      : begin(at),
        end(t < 0 ? at + 1 : job.bags.first_index(t + 1)),
        rows(t < 0 ? 0 : job.rows[t]),
        exists(t >= 0) {}
};

/// Checks the indices of the tiles of block `block` of `blocks`. All threads must call it.
template <class Index, class Offset>
__device__ void check_indices(const BoundsJob<Index, Offset>& job, const Tiles& tiles,
                              int64_t block, int64_t blocks) {
  constexpr int64_t kWord = 16 / static_cast<int64_t>(sizeof(Index));
  const int64_t group = block * kGroups + threadIdx.x / kLanes;
  const int64_t groups = blocks * kGroups;
  const int64_t lane = threadIdx.x % kLanes;
  long long bad = 0;
  for (int64_t tile = group; tile * tiles.size - tiles.before < job.count; tile += groups) {
    const int64_t first = tile * tiles.size - tiles.before;
    const int64_t first_index = first < 0 ? 0 : first;
    OneTable<Index, Offset> table(job, table_of_group(job.bags, first_index), first_index);
    for (int64_t step = lane * kWord; step < tiles.size; step += kLanes * kWord) {
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
        if (at < table.begin || at >= table.end) {
          table = OneTable<Index, Offset>(job, table_of(job.bags, at), at);
        }
        if (table.exists) {
          bad += check_index(job, whole ? numbers[k] : job.indices[at], at, table.rows);
        }
      }
    }
  }
  if (job.warnings != nullptr) add_from_lanes(bad, job.warnings);
}

template <class Index, class Offset>
__global__ void bad_indices_kernel(BoundsJob<Index, Offset> job, Tiles tiles) {
  check_indices(job, tiles, blockIdx.x, gridDim.x);
}

/// Both repairs in one launch. If offsets are wrong, one block does everything, because the indices
/// cannot be checked before; so this is for few indices.
template <class Index, class Offset>
__global__ void repair_kernel(BoundsJob<Index, Offset> job, const int64_t* bad_offsets,
                              int64_t counts, Tiles tiles) {
  __shared__ long long group_totals[kGroups];
  const bool wrong = total_of(bad_offsets, counts, group_totals) != 0;
  if (wrong) {
    if (blockIdx.x != 0) return;
    __syncthreads();  // other threads may still read group_totals
    repair_offsets(job, group_totals);
    __syncthreads();  // the offsets that other threads repaired are read from here on
  }
  check_indices(job, tiles, wrong ? 0 : blockIdx.x, wrong ? 1 : gridDim.x);
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
  const Tiles tiles = tiles_of(job.indices, job.count);
  const int64_t blocks =
      blocks_for((job.count + tiles.before + tiles.size - 1) / tiles.size, kGroups);
  const int64_t* const bad = bad_offsets;
  const bool has_indices = job.count > 0 && job.bags.tables > 0;
  if (has_indices && job.repair && job.count <= kFewIndices) {
    return launch(kName, &repair_kernel<Index, Offset>, blocks, stream, job, bad, counts, tiles);
  }
  if (job.repair) {
    launch(kName, &repair_offsets_kernel<Index, Offset>, 1, stream, job, bad, counts);
  }
  if (!has_indices) return;
  launch(kName, &bad_indices_kernel<Index, Offset>, blocks, stream, job, tiles);
}

template void run_gpu(const BoundsJob<int32_t, int32_t>&, int64_t*, void*);
template void run_gpu(const BoundsJob<int32_t, int64_t>&, int64_t*, void*);
template void run_gpu(const BoundsJob<int64_t, int32_t>&, int64_t*, void*);
template void run_gpu(const BoundsJob<int64_t, int64_t>&, int64_t*, void*);

}  // namespace pinwheel
