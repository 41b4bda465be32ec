// Splits indices over ranks and preserves the order within each bag.
//
// Minimum bytes moved: each index is read twice (counted, then moved) and written once; each length
// of the result is written once and read for the offsets. For bags of more than about `ranks`
// indices the indices are the limit, for shorter ones the lengths. Every bag gets 1, 8 or 32 lanes,
// depending on the average bag, so that reads are coalesced. A block counts the ranks of its bags
// in shared memory and writes all counts at once, so nothing has to be cleared before. When indices
// are moved, lanes find those of their bag with the same rank by a match of the whole group, and
// only the last of these adds to the count. If there are too many ranks, the counts are in the
// results. Divisions are multiplications (index/divider.h) whose factors a small kernel computes
// once per feature.
//
// Deterministic: counts are integers, and destinations depend only on them and the order of the
// bag.

#include "jobs/bucketize.h"

#include <type_traits>

#include "gpu/device.h"
#include "units/bucketize_units.h"

namespace pinwheel {
namespace bucketize_kernels {

using namespace gpu;

struct PrepareFeature {
  BucketFeaturesJob job;
  PW_HD void operator()(int64_t k) const {
    job.out[job.first + k] = bucket_feature(spec_of(job, k));
  }
};

/// The lanes of a group that have the same number.
struct Peers {
  int before = 0;  ///< number of them in lower lanes
  int last = 0;    ///< the highest of them
};

/// All 32 lanes must call it. Lanes with a negative number are nobody's peers that has one.
template <int kWidth>
__device__ Peers peers_of(int number) {
  if (kWidth == 1) return Peers{};
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  const uint32_t same = lanes_with<kWidth>(number);
  return Peers{count_of_bits(same & ((1u << lane) - 1)), highest_bit(same)};
}

template <int kWidth>
constexpr int kBags = kThreads / kWidth;

/// What a lane does in one step over its bag.
struct Step {
  int64_t i = 0;        ///< which index of the bag
  bool active = false;  ///< false past the bag's end
  bool single = false;  ///< no bag of the group has another step
  uint64_t weight = 0;  ///< the bytes of the index's weight, if they were asked for
};

enum class Weights { kIgnored, kRead };

/// Calls `body(bag, number, step, to)` for each index of a block's bags from `first` on, in steps
/// of kWidth; all 32 lanes call it together, so it may shuffle, unless kWidth is 1. Indices and
/// weights of several steps are loaded before the first one, because each step stores.
template <int kWidth, Weights kWeights, class Index, class Length, class Body>
__device__ void for_each_index(const BucketizeJob<Index, Length>& job, int64_t first,
                               const Body& body) {
  constexpr int kAtOnce = kWidth == 1 ? 1 : 2;
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  const int64_t number = first + threadIdx.x / kWidth;
  const Bag bag = bag_at(job, number);
  const bool has_weights = kWeights == Weights::kRead && job.weights != nullptr;
  long long longest = bag.length;
  for (int mask = kLanes / 2; mask >= kWidth && kWidth > 1; mask /= 2) {
    const long long other = shuffle_xor(longest, mask);
    longest = other > longest ? other : longest;
  }
  for (int64_t begin = 0; begin < longest; begin += kAtOnce * kWidth) {
    std::make_unsigned_t<Index> indices[kAtOnce] = {};
    Step steps[kAtOnce];
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      Step& step = steps[k];
      step.i = begin + k * kWidth + lane;
      step.active = step.i < bag.length;
      step.single = longest <= kWidth;
      if (!step.active) continue;
      indices[k] = static_cast<std::make_unsigned_t<Index>>(job.indices[bag.begin + step.i]);
      if (has_weights) {
        step.weight = element_at(job.weights, bag.begin + step.i, job.weight_bytes);
      }
    }
    PW_UNROLL
    for (int k = 0; k < kAtOnce; ++k) {
      if (begin + k * kWidth >= longest) break;
      Bucketed to;
      if (steps[k].active) to = bucketed(job.features[bag.feature], indices[k]);
      body(bag, number, steps[k], to);
    }
  }
}

/// Counts per rank and bag of a block, in shared memory.
template <int kWidth>
struct Counters {
  static constexpr int kMost = 2048;

  uint32_t counts[kMost];

  __device__ void clear(int64_t ranks) {
    for (int c = static_cast<int>(threadIdx.x); c < ranks * kBags<kWidth>; c += kThreads) {
      counts[c] = 0;
    }
    __syncthreads();
  }
  /// The counter of this thread's bag.
  __device__ uint32_t* of_rank(uint64_t rank) {
    return counts + static_cast<int>(rank) * kBags<kWidth> + static_cast<int>(threadIdx.x) / kWidth;
  }
};

template <int kWidth, class Index, class Length>
__global__ void bucket_counts_kernel(BucketizeJob<Index, Length> job) {
  __shared__ Counters<kWidth> counters;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBags<kWidth>;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kBags<kWidth>; first < job.bags;
       first += stride) {
    counters.clear(job.ranks);
    for_each_index<kWidth, Weights::kIgnored>(
        job, first, [&](const Bag&, int64_t, const Step& step, const Bucketed& to) {
          if (step.active) atomic_add(counters.of_rank(to.rank), uint32_t{1});
        });
    __syncthreads();
    for (int c = static_cast<int>(threadIdx.x); c < job.ranks * kBags<kWidth>; c += kThreads) {
      const int64_t number = first + c % kBags<kWidth>;
      const int64_t rank = c / kBags<kWidth>;
      if (number >= job.bags) continue;
      job.out_lengths[rank * job.bags + number] = static_cast<Length>(counters.counts[c]);
    }
    __syncthreads();  // before the next bags are counted
  }
}

template <class Length>
struct ClearLengths {
  Length* lengths;
  PW_HD void operator()(int64_t i) const { lengths[i] = 0; }
};

/// For any number of ranks: adds to the results, which must be zero.
template <class Index, class Length>
__global__ void many_counts_kernel(BucketizeJob<Index, Length> job) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBags<kLanes>;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kBags<kLanes>; first < job.bags;
       first += stride) {
    for_each_index<kLanes, Weights::kIgnored>(
        job, first, [&](const Bag&, int64_t number, const Step& step, const Bucketed& to) {
          const Peers peers = peers_of<kLanes>(step.active ? static_cast<int>(to.rank) : -1);
          if (!step.active || peers.last != static_cast<int>(threadIdx.x) % kLanes) return;
          Length* const count = job.out_lengths + static_cast<int64_t>(to.rank) * job.bags + number;
          atomic_add(count, static_cast<Length>(peers.before + 1));
        });
  }
}

template <class Index, class Length>
__device__ void move_index(const BucketizeJob<Index, Length>& job, const Bag& bag, const Step& step,
                           const Bucketed& to, int64_t place) {
  // Lengths that are inconsistent with the number of indices may point anywhere.
  const bool inside = place >= 0 && place < job.count;
  if (job.out_permute != nullptr) {
    job.out_permute[bag.begin + step.i] = static_cast<Index>(inside ? place : 0);
  }
  if (!inside) return;
  job.out_indices[place] = static_cast<Index>(to.index);
  if (job.out_positions != nullptr) job.out_positions[place] = static_cast<Index>(step.i);
  if (job.weights != nullptr) {
    set_element(job.out_weights, place, step.weight, job.weight_bytes);
  }
}

/// Zeroes what no bag covers.
template <class Index, class Length>
__device__ void clear_rest(const BucketizeJob<Index, Length>& job) {
  const int64_t thread = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  const int64_t moved = job.out_offsets[job.ranks * job.bags];
  for (int64_t i = (moved < 0 ? 0 : moved) + thread; i < job.count; i += stride) {
    job.out_indices[i] = 0;
    if (job.out_positions != nullptr) job.out_positions[i] = 0;
    if (job.weights != nullptr) set_element(job.out_weights, i, 0, job.weight_bytes);
  }
  if (job.out_permute == nullptr) return;
  const int64_t read = job.offsets[job.bags];
  for (int64_t i = (read < 0 ? 0 : read) + thread; i < job.count; i += stride) {
    job.out_permute[i] = 0;
  }
}

/// How many slots of its bag and rank the steps before took, and this step's lower lanes take. The
/// last of the peers reserves slots in `taken` for all of them. All 32 lanes must call it, unless
/// kWidth is 1.
template <int kWidth, class Count>
__device__ Count slots_before(Count* taken, const Peers& peers, bool active) {
  Count before{0};
  const bool takes = active && peers.last == static_cast<int>(threadIdx.x) % kWidth;
  if (takes) before = atomic_add(taken, static_cast<Count>(peers.before + 1));
  if (kWidth == 1) return before;
  const int first_lane = static_cast<int>(threadIdx.x) % kLanes / kWidth * kWidth;
  return shuffle(before, first_lane + peers.last) + static_cast<Count>(peers.before);
}

template <int kWidth, class Index, class Length>
__global__ void bucket_places_kernel(BucketizeJob<Index, Length> job) {
  __shared__ Counters<kWidth> taken;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBags<kWidth>;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kBags<kWidth>; first < job.bags;
       first += stride) {
    __syncthreads();  // other threads may still count the last bags
    taken.clear(job.ranks);
    for_each_index<kWidth, Weights::kRead>(
        job, first, [&](const Bag& bag, int64_t number, const Step& step, const Bucketed& to) {
          const Peers peers = peers_of<kWidth>(step.active ? static_cast<int>(to.rank) : -1);
          uint32_t before = static_cast<uint32_t>(peers.before);
          if (!step.single) {
            before = slots_before<kWidth>(taken.of_rank(to.rank), peers, step.active);
          }
          if (!step.active) return;
          const Length start = job.out_offsets[static_cast<int64_t>(to.rank) * job.bags + number];
          move_index(job, bag, step, to, wrapping_sum(start, before));
        });
  }
  clear_rest(job);
}

/// For any number of ranks: takes slots in `out_offsets`.
template <class Index, class Length>
__global__ void many_places_kernel(BucketizeJob<Index, Length> job) {
  using Count = std::make_unsigned_t<Length>;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBags<kLanes>;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kBags<kLanes>; first < job.bags;
       first += stride) {
    for_each_index<kLanes, Weights::kRead>(
        job, first, [&](const Bag& bag, int64_t number, const Step& step, const Bucketed& to) {
          const Peers peers = peers_of<kLanes>(step.active ? static_cast<int>(to.rank) : -1);
          Length* const offset =
              job.out_offsets + static_cast<int64_t>(to.rank) * job.bags + number;
          const Count place =
              slots_before<kLanes>(reinterpret_cast<Count*>(offset), peers, step.active);
          if (!step.active) return;
          move_index(job, bag, step, to, static_cast<int64_t>(static_cast<Length>(place)));
        });
  }
  clear_rest(job);
}

/// Calls `body` with the number of lanes per bag, as a type: few if most bags are short. 0 if there
/// are too many ranks for counters in shared memory.
template <class Index, class Length, class Body>
void with_width(const BucketizeJob<Index, Length>& job, const Body& body) {
  const auto fits = [&](int width) {
    return job.ranks * (kThreads / width) <= Counters<1>::kMost && job.count <= UINT32_MAX;
  };
  if (job.count < 4 * job.bags && fits(1)) return body(std::integral_constant<int, 1>{});
  if (job.count < 12 * job.bags && fits(8)) return body(std::integral_constant<int, 8>{});
  if (fits(kLanes)) return body(std::integral_constant<int, kLanes>{});
  body(std::integral_constant<int, 0>{});
}

constexpr const char* kName = "block_bucketize_sparse_features";

}  // namespace bucketize_kernels

using namespace bucketize_kernels;

void run_gpu(const BucketFeaturesJob& job, void* stream) {
  launch_units(kName, PrepareFeature{job}, job.count, stream);
}

template <class Index, class Length>
void run_gpu_counts(const BucketizeJob<Index, Length>& job, void* stream) {
  if (job.bags == 0) return;
  with_width(job, [&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    if constexpr (kWidth > 0) {
      launch(kName, &bucket_counts_kernel<kWidth, Index, Length>,
             blocks_for(job.bags, kBags<kWidth>), static_cast<Stream>(stream), job);
    } else {
      launch_units(kName, ClearLengths<Length>{job.out_lengths}, job.ranks * job.bags, stream);
      launch(kName, &many_counts_kernel<Index, Length>, blocks_for(job.bags, kBags<kLanes>),
             static_cast<Stream>(stream), job);
    }
  });
}

template <class Index, class Length>
void run_gpu_scatter(const BucketizeJob<Index, Length>& job, void* stream) {
  with_width(job, [&](auto width) {
    constexpr int kWidth = decltype(width)::value;
    const int64_t per_block = kThreads / (kWidth > 0 ? kWidth : kLanes);
    const int64_t blocks = std::max<int64_t>(1, blocks_for(job.bags, per_block));
    if constexpr (kWidth > 0) {
      launch(kName, &bucket_places_kernel<kWidth, Index, Length>, blocks,
             static_cast<Stream>(stream), job);
    } else {
      launch(kName, &many_places_kernel<Index, Length>, blocks, static_cast<Stream>(stream), job);
    }
  });
}

template void run_gpu_counts(const BucketizeJob<int32_t, int32_t>&, void*);
template void run_gpu_counts(const BucketizeJob<int32_t, int64_t>&, void*);
template void run_gpu_counts(const BucketizeJob<int64_t, int32_t>&, void*);
template void run_gpu_counts(const BucketizeJob<int64_t, int64_t>&, void*);
template void run_gpu_scatter(const BucketizeJob<int32_t, int32_t>&, void*);
template void run_gpu_scatter(const BucketizeJob<int32_t, int64_t>&, void*);
template void run_gpu_scatter(const BucketizeJob<int64_t, int32_t>&, void*);
template void run_gpu_scatter(const BucketizeJob<int64_t, int64_t>&, void*);

}  // namespace pinwheel
