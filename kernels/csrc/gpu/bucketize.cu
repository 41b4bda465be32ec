// Splits indices over ranks and preserves the order within each bag.
//
// Minimum bytes moved: each index is read twice (counted, then moved) and written once; each length
// of the result is zeroed, counted and read for the offsets. For bags of more than about `ranks`
// indices the indices are the limit, for shorter ones the lengths. Every bag gets a group of 8 or
// 32 lanes, depending on the average bag, so that reads are coalesced; within a group, lanes find
// those with the same rank by exchanging ranks with all others, about one shuffle per index, which
// is less than the time of moving it. Only the last lane of a rank writes to memory. Divisions are
// multiplications (index/divider.h) whose factors a small kernel computes once per feature.
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

/// All 32 lanes must call it; lanes with a negative number have no peers.
template <int kWidth>
__device__ Peers peers_of(int number) {
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  Peers peers{0, lane};
  for (int mask = 1; mask < kWidth; ++mask) {
    const int other = shuffle_xor(number, mask);
    const int other_lane = lane ^ mask;
    if (other != number || number < 0) continue;
    if (other_lane < lane) ++peers.before;
    if (other_lane > peers.last) peers.last = other_lane;
  }
  return peers;
}

/// Calls `body(bag, number, i, active, to, single)` for each index i of each bag, in steps of
/// kWidth; all 32 lanes call it together, so it may shuffle. `single`: no bag here has another
/// step.
template <int kWidth, class Index, class Length, class Body>
__device__ void for_each_index(const BucketizeJob<Index, Length>& job, const Body& body) {
  constexpr int kBags = kThreads / kWidth;
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kBags;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * kBags; first < job.bags;
       first += stride) {
    const int64_t number = first + threadIdx.x / kWidth;
    const Bag bag = bag_at(job, number);
    long long longest = bag.length;
    for (int mask = kLanes / 2; mask >= kWidth; mask /= 2) {
      const long long other = shuffle_xor(longest, mask);
      longest = other > longest ? other : longest;
    }
    for (int64_t step = 0; step < longest; step += kWidth) {
      const int64_t i = step + lane;
      const bool active = i < bag.length;
      Bucketed to;
      if (active) {
        const auto index = static_cast<std::make_unsigned_t<Index>>(job.indices[bag.begin + i]);
        to = bucketed(job.features[bag.feature], index);
      }
      body(bag, number, i, active, to, longest <= kWidth);
    }
  }
}

template <int kWidth, class Index, class Length>
__global__ void bucket_counts_kernel(BucketizeJob<Index, Length> job) {
  for_each_index<kWidth>(
      job, [&](const Bag&, int64_t number, int64_t, bool active, const Bucketed& to, bool) {
        const Peers peers = peers_of<kWidth>(active ? static_cast<int>(to.rank) : -1);
        if (!active || peers.last != static_cast<int>(threadIdx.x) % kWidth) return;
        Length* const count = job.out_lengths + static_cast<int64_t>(to.rank) * job.bags + number;
        atomic_add(count, static_cast<Length>(peers.before + 1));
      });
}

template <class Index, class Length>
__device__ void move_index(const BucketizeJob<Index, Length>& job, const Bag& bag, int64_t i,
                           const Bucketed& to, int64_t place) {
  // Lengths that are inconsistent with the number of indices may point anywhere.
  const bool inside = place >= 0 && place < job.count;
  if (job.out_permute != nullptr) {
    job.out_permute[bag.begin + i] = static_cast<Index>(inside ? place : 0);
  }
  if (!inside) return;
  job.out_indices[place] = static_cast<Index>(to.index);
  if (job.out_positions != nullptr) job.out_positions[place] = static_cast<Index>(i);
  if (job.weights != nullptr) {
    copy_element(job.weights, bag.begin + i, job.out_weights, place, job.weight_bytes);
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
    if (job.weights != nullptr) clear_element(job.out_weights, i, job.weight_bytes);
  }
  if (job.out_permute == nullptr) return;
  const int64_t read = job.offsets[job.bags];
  for (int64_t i = (read < 0 ? 0 : read) + thread; i < job.count; i += stride) {
    job.out_permute[i] = 0;
  }
}

template <int kWidth, class Index, class Length>
__global__ void bucket_places_kernel(BucketizeJob<Index, Length> job) {
  for_each_index<kWidth>(job, [&](const Bag& bag, int64_t number, int64_t i, bool active,
                                  const Bucketed& to, bool single) {
    const Peers peers = peers_of<kWidth>(active ? static_cast<int>(to.rank) : -1);
    Length* const offset = job.out_offsets + static_cast<int64_t>(to.rank) * job.bags + number;
    Length start = 0;
    if (single) {
      if (active) start = *offset;
    } else {
      // The last of the peers reserves slots for all of them; the next step's slots follow.
      const bool takes = active && peers.last == static_cast<int>(threadIdx.x) % kWidth;
      if (takes) start = atomic_add(offset, static_cast<Length>(peers.before + 1));
      const int group = static_cast<int>(threadIdx.x) % kLanes / kWidth * kWidth;
      start = shuffle(start, group + peers.last);
    }
    if (active) move_index(job, bag, i, to, wrapping_sum(start, peers.before));
  });
  clear_rest(job);
}

/// Eight lanes per bag if most bags are short.
template <class Index, class Length>
bool is_short(const BucketizeJob<Index, Length>& job) {
  return job.count < 12 * job.bags;
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
  const bool narrow = is_short(job);
  const int64_t blocks = blocks_for(job.bags, kThreads / (narrow ? 8 : kLanes));
  launch(kName,
         narrow ? &bucket_counts_kernel<8, Index, Length>
                : &bucket_counts_kernel<kLanes, Index, Length>,
         blocks, static_cast<Stream>(stream), job);
}

template <class Index, class Length>
void run_gpu_scatter(const BucketizeJob<Index, Length>& job, void* stream) {
  const bool narrow = is_short(job);
  const int64_t blocks =
      std::max<int64_t>(1, blocks_for(job.bags, kThreads / (narrow ? 8 : kLanes)));
  launch(kName,
         narrow ? &bucket_places_kernel<8, Index, Length>
                : &bucket_places_kernel<kLanes, Index, Length>,
         blocks, static_cast<Stream>(stream), job);
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
