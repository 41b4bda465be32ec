#pragma once

#include <cstdint>

#include "index/buckets.h"

namespace pinwheel {

/// Features [first, first + count) of `out`, from what the caller's tensors say about them.
struct BucketFeaturesJob {
  static constexpr int64_t kMost = 64;  ///< as many as a launch can take along

  int64_t first = 0;
  int64_t count = 0;
  int64_t ranks = 1;
  const int64_t* block_sizes = nullptr;
  const int64_t* blocks = nullptr;   ///< null: one block a rank
  const bool* keep_index = nullptr;  ///< null: `keep_all` counts
  bool keep_all = false;
  const int64_t* bounds[kMost] = {};  ///< null: blocks
  int64_t bound_counts[kMost] = {};
  BucketFeature* out = nullptr;
};

/// Bags of indices, feature by feature -> the bags of each rank, rank by rank. The order within a
/// bag stays. `bags` bags hold `count` indices; feature t has the bags [bag_starts[t],
/// bag_starts[t + 1]), or `batch` bags where that is null.
template <class Index, class Length>
struct BucketizeJob {
  const BucketFeature* features = nullptr;
  int64_t feature_count = 0;
  int64_t ranks = 1;
  const int64_t* bag_starts = nullptr;
  Divider batch;
  int64_t bags = 0;
  int64_t count = 0;
  const Length* lengths = nullptr;
  const Index* indices = nullptr;
  const void* weights = nullptr;  ///< may be null; moved as bytes
  int64_t weight_bytes = 0;
  Length* out_lengths = nullptr;  ///< [ranks, bags]
  Index* out_indices = nullptr;
  void* out_weights = nullptr;
  Index* out_positions = nullptr;  ///< within the bag; may be null
  Index* out_permute = nullptr;    ///< where each index went; may be null
  // GPU only: the kernels do not add up lengths themselves.
  const Length* offsets = nullptr;  ///< [bags + 1]
  Length* out_offsets = nullptr;    ///< [ranks * bags + 1]; used up
};

void run_cpu(const BucketFeaturesJob& job);
void run_gpu(const BucketFeaturesJob& job, void* stream);

// For Index and Length = int32_t and int64_t.

/// The lengths are not negative and add up to `count`, and the features are sound.
template <class Index, class Length>
void run_cpu(const BucketizeJob<Index, Length>& job);
/// Adds to `out_lengths`, which is 0 before.
template <class Index, class Length>
void run_gpu_counts(const BucketizeJob<Index, Length>& job, void* stream);
/// Everything but `out_lengths`, by `out_offsets`.
template <class Index, class Length>
void run_gpu_places(const BucketizeJob<Index, Length>& job, void* stream);

}  // namespace pinwheel
