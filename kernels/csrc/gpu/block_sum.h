#pragma once

// Prefix sums over the threads of a block.

#include "gpu/device.h"

namespace pinwheel::gpu {

template <class Sum>
struct BlockSum {
  Sum inclusive;  ///< of this thread and those before it
  Sum total;
};

/// All threads of the block must call it. `group_totals` are kGroups numbers in shared memory.
template <class Sum>
__device__ BlockSum<Sum> block_sum(Sum number, Sum* group_totals) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  Sum sum = number;
  for (int distance = 1; distance < kLanes; distance *= 2) {
    const Sum other = shuffle_up(sum, distance);
    if (lane >= distance) sum += other;
  }
  if (lane == kLanes - 1) group_totals[group] = sum;
  __syncthreads();
  BlockSum<Sum> result{sum, Sum{0}};
  for (int g = 0; g < kGroups; ++g) {
    if (g < group) result.inclusive += group_totals[g];
    result.total += group_totals[g];
  }
  __syncthreads();  // before the caller's next iteration writes group_totals
  return result;
}

}  // namespace pinwheel::gpu
