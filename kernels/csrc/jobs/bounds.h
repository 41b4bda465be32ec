#pragma once

#include <cstdint>

#include "index/tables.h"

namespace pinwheel {

/// Offsets that decrease or are outside [0, count] become the maximum of those before them, clamped
/// to [0, count]; the last one becomes `count`. Then indices that are out of range for their table
/// become 0. `warnings` counts every bag with bad offsets, every bad index and a bad last offset.
template <class Index, class Offset>
struct BoundsJob {
  TableBags<Offset> bags;  ///< bags.offsets is `offsets`
  Offset* offsets = nullptr;
  Index* indices = nullptr;
  int64_t count = 0;  ///< number of indices
  const int64_t* rows = nullptr;
  bool repair = true;           ///< if false, only count
  int64_t* warnings = nullptr;  ///< may be null
};

/// The first invalid offset or index; -1: none.
struct FirstBad {
  int64_t offset = -1;
  int64_t index = -1;
};

int64_t gpu_offset_counts(int64_t bags);

// Instantiated for Index and Offset = int32_t and int64_t. On the CPU, `bags.bag_starts` must be
// valid.

/// The first invalid offset or, if there is none, the first invalid index.
template <class Index, class Offset>
FirstBad find_bad_cpu(const BoundsJob<Index, Offset>& job);
template <class Index, class Offset>
void run_cpu(const BoundsJob<Index, Offset>& job);
/// `bad_offsets` are gpu_offset_counts(job.bags.bags) counters, which receive numbers of bad
/// offsets before repair. On a GPU, `job.warnings` is cleared first.
template <class Index, class Offset>
void run_gpu(const BoundsJob<Index, Offset>& job, int64_t* bad_offsets, void* stream);

}  // namespace pinwheel
