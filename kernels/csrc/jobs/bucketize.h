#pragma once

#include <cstdint>

#include "index/buckets.h"

namespace pinwheel {

/// Fills features [first, first + count) of `out` from the caller's tensors.
struct BucketFeaturesJob {
  static constexpr int64_t kMost = 64;  ///< as many as fit in a kernel's parameters

  int64_t first = 0;
  int64_t count = 0;
  int64_t ranks = 1;
  const int64_t* block_sizes = nullptr;
  const int64_t* blocks = nullptr;   ///< null: one block per rank
  const bool* keep_index = nullptr;  ///< null: `keep_all` applies
  bool keep_all = false;
  const int64_t* bounds[kMost] = {};  ///< null: blocks
  int64_t bound_counts[kMost] = {};
  BucketFeature* out = nullptr;
};

/// Bags of indices, feature by feature -> the bags of each rank, rank by rank. The order within a
/// bag is preserved. `bags` bags hold `count` indices; feature t has the bags [bag_starts[t],
/// bag_starts[t + 1]), or `batch` bags if that is null.
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
  // GPU only: prefix sums of lengths, which the kernels do not compute themselves.
  const Length* offsets = nullptr;  ///< [bags + 1]
  Length* out_offsets = nullptr;    ///< [ranks * bags + 1]; overwritten
};

void run_cpu(const BucketFeaturesJob& job);
void run_gpu(const BucketFeaturesJob& job, void* stream);

// Instantiated for Index and Length = int32_t and int64_t.

/// The lengths are non-negative and add up to `count`, and the features are valid.
template <class Index, class Length>
void run_cpu(const BucketizeJob<Index, Length>& job);
/// Writes `out_lengths`.
template <class Index, class Length>
void run_gpu_counts(const BucketizeJob<Index, Length>& job, void* stream);
/// Writes everything but `out_lengths`, at `out_offsets`.
template <class Index, class Length>
void run_gpu_scatter(const BucketizeJob<Index, Length>& job, void* stream);

}  // namespace pinwheel
