#pragma once

// Where the segments of a tile of consecutive positions start, as one bit per position in shared
// memory. A thread finds the start of its segment with a few instructions, where a search would
// take a dozen loads that wait for one another.

#include "gpu/device.h"
#include "gpu/tile_search.h"

namespace pinwheel::gpu {

template <int kPositions>
struct TileStarts {
  static constexpr int kWordBits = 32;
  static constexpr int kWords = kPositions / kWordBits;
  static constexpr int kSummaries = (kWords + kWordBits - 1) / kWordBits;

  uint32_t words[kWords];
  uint32_t summaries[kSummaries];  ///< which of `words` are not 0

  /// All threads of the block must call it, and then pass a barrier.
  __device__ void clear() {
    const int thread = static_cast<int>(threadIdx.x);
    for (int w = thread; w < kWords; w += kThreads) words[w] = 0;
    if (thread < kSummaries) summaries[thread] = 0;
  }
  __device__ void mark(int position) {
    const int word = position / kWordBits;
    atomic_set_bits(words + word, 1u << position % kWordBits);
    atomic_set_bits(summaries + word / kWordBits, 1u << word % kWordBits);
  }
  /// The marks of `position` and the rest of its word, the lowest bit first.
  __device__ uint32_t marks_from(int position) const {
    return words[position / kWordBits] >> position % kWordBits;
  }
  /// The last marked position that is at most `position`, or -1.
  __device__ int last_at(int position) const {
    const int word = position / kWordBits;
    const uint32_t here = words[word] & (~0u >> (kWordBits - 1 - position % kWordBits));
    if (here != 0) return word * kWordBits + highest_bit(here);
    int summary = word / kWordBits;
    uint32_t before = summaries[summary] & ((1u << word % kWordBits) - 1);
    while (before == 0 && summary > 0) before = summaries[--summary];
    if (before == 0) return -1;
    const int last = summary * kWordBits + highest_bit(before);
    return last * kWordBits + highest_bit(words[last]);
  }
};

/// Positions per tile: a power of two from `least` to `most`, so that `positions` make enough tiles
/// for all multiprocessors.
inline int tile_size_for(int64_t positions, int least, int most) {
  constexpr int64_t kTilesWanted = 1024;
  int size = least;
  while (size < most && size * kTilesWanted < positions) size *= 2;
  return size;
}

}  // namespace pinwheel::gpu
