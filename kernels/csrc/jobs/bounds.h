#pragma once

#include <cstdint>

#include "index/tables.h"

namespace pinwheel {

/// Offsets that decrease or lead outside of [0, count] become the largest of those before them, cut
/// to [0, count]; the last one becomes `count`. Then indices that are no row of their table become
/// 0. Every bag of bad offsets, every bad index and a bad last offset is one more in `warnings`.
template <class Index, class Offset>
struct BoundsJob {
  TableBags<Offset> bags;  ///< its offsets are those below
  Offset* offsets = nullptr;
  Index* indices = nullptr;
  int64_t count = 0;  ///< of indices
  const int64_t* rows = nullptr;
  bool repair = true;           ///< else only count
  int64_t* warnings = nullptr;  ///< may be null
};

/// Where something is wrong; -1: nowhere.
struct BadPlace {
  int64_t offset = -1;
  int64_t index = -1;
};

// For Index and Offset = int32_t and int64_t. On the CPU, `bags.bag_starts` must be sound.

/// The first offset and, if there is none, the first index that is wrong.
template <class Index, class Offset>
BadPlace find_bad_cpu(const BoundsJob<Index, Offset>& job);
template <class Index, class Offset>
void run_cpu(const BoundsJob<Index, Offset>& job);
/// `bad_offsets` is one number, 0 before; it becomes the number of wrong offsets as they are.
template <class Index, class Offset>
void run_gpu(const BoundsJob<Index, Offset>& job, int64_t* bad_offsets, void* stream);

}  // namespace pinwheel
