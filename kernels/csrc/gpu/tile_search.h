#pragma once

// A block searches once for the segments that its tile of consecutive positions touches. Its
// threads then search for their own positions among those only, which are few and in the L1 cache.

#include "gpu/device.h"

namespace pinwheel::gpu {

/// How many of `count` non-decreasing numbers are at most `pos`. The 32 lanes probe together, so
/// log32(count) loads follow one another. All of them must call it with the same arguments. Never
/// reads out of bounds, whatever the numbers are.
template <class Index>
__device__ int64_t count_not_above(const Index* numbers, int64_t count, int64_t pos) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    const int64_t step = (high - low + kLanes - 1) / kLanes;
    const int64_t at = low + (lane + 1) * step - 1;
    const bool not_above = at < high && static_cast<int64_t>(numbers[at]) <= pos;
    low += count_of_bits(lanes_where(not_above)) * step;
    if (low + step - 1 < high) high = low + step - 1;
  }
  return low;
}

/// For each position of a tile, the number of numbers at most it is in [low, high].
struct TileSpan {
  int64_t low = 0;
  int64_t high = 0;

  /// The last of the numbers that is at most `pos`, or -1.
  template <class Index>
  __device__ int64_t last_not_above(const Index* numbers, int64_t pos) const {
    int64_t begin = low;
    int64_t end = high;
    while (begin < end) {
      const int64_t middle = begin + (end - begin) / 2;
      if (static_cast<int64_t>(numbers[middle]) <= pos) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin - 1;
  }
};

/// The span of the tile of positions [first, last]. All threads of the block must call it.
template <class Index>
__device__ TileSpan span_of_tile(const Index* numbers, int64_t count, int64_t first, int64_t last) {
  __shared__ int64_t ends[2];
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  __syncthreads();  // other threads may still read the last tile's
  if (group < 2) {
    const int64_t found = count_not_above(numbers, count, group == 0 ? first : last);
    if (threadIdx.x % kLanes == 0) ends[group] = found;
  }
  __syncthreads();
  return TileSpan{ends[0], ends[1] < ends[0] ? ends[0] : ends[1]};
}

}  // namespace pinwheel::gpu
