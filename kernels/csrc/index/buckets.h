#pragma once

// Which rank an index of a feature goes to, and its index there.

#include <cstdint>

#include "index/divider.h"
#include "index/host_device.h"

namespace pinwheel {

/// The rows of one feature, split over ranks: either into blocks of equal size, `blocks_per_rank`
/// per rank, or at `bounds`, the first row of each rank. Indices beyond are distributed by modulo.
struct BucketFeature {
  uint64_t limit = 0;  ///< blocks hold the indices below this
  Divider rank_rows;   ///< rows in all blocks of a rank
  Divider blocks;      ///< in total
  Divider blocks_per_rank;
  Divider ranks;
  const int64_t* bounds = nullptr;
  int64_t bound_count = 0;
  bool scattered = false;  ///< with bounds: rows are found by the index modulo blocks
  bool keep_index = false;
};

/// A feature as the caller describes it.
struct BucketSpec {
  int64_t block_size = 0;
  int64_t blocks = 1;
  int64_t ranks = 1;
  bool keep_index = false;
  const int64_t* bounds = nullptr;
  int64_t bound_count = 0;
};

/// Invalid values (negative ones, fewer blocks than ranks) yield some valid feature.
PW_HD BucketFeature bucket_feature(const BucketSpec& spec) {
  const uint64_t ranks = spec.ranks > 0 ? static_cast<uint64_t>(spec.ranks) : 1;
  const uint64_t blocks = spec.blocks > 0 ? static_cast<uint64_t>(spec.blocks) : 1;
  const uint64_t size = spec.block_size > 0 ? static_cast<uint64_t>(spec.block_size) : 0;
  const uint64_t per_rank = blocks >= ranks ? blocks / ranks : 1;
  const uint64_t rank_rows = size * per_rank;  // wraps around to 0 for some invalid values
  BucketFeature feature;
  feature.limit = size * blocks;
  feature.rank_rows = Divider(rank_rows > 0 ? rank_rows : 1);
  feature.blocks = Divider(blocks);
  feature.blocks_per_rank = Divider(per_rank);
  feature.ranks = Divider(ranks);
  feature.bounds = spec.bounds;
  feature.bound_count = spec.bounds == nullptr ? 0 : spec.bound_count;
  feature.scattered = size == 0;
  feature.keep_index = spec.keep_index;
  return feature;
}

struct Bucketed {
  uint64_t rank = 0;
  uint64_t index = 0;
};

PW_HD Bucketed in_blocks(const BucketFeature& feature, uint64_t index) {
  if (index < feature.limit) {
    const uint64_t rank = feature.rank_rows.quotient(index);
    return {rank, index - rank * feature.rank_rows.divisor};
  }
  const uint64_t quotient = feature.blocks.quotient(index);
  const uint64_t block = index - quotient * feature.blocks.divisor;
  return {feature.blocks_per_rank.quotient(block), quotient};
}

/// The last bound that is not above `index`; -1 if there is none.
PW_HD int64_t last_bound(const BucketFeature& feature, uint64_t index) {
  // Branchless: the direction of a binary search is unpredictable.
  int64_t low = 0;
  int64_t count = feature.bound_count;
  while (count > 1) {
    const int64_t half = count / 2;
    low += static_cast<uint64_t>(feature.bounds[low + half - 1]) <= index ? half : 0;
    count -= half;
  }
  low += static_cast<uint64_t>(feature.bounds[low]) <= index ? 1 : 0;
  return low - 1;
}

PW_HD Bucketed at_bounds(const BucketFeature& feature, uint64_t index) {
  uint64_t row = index;
  if (feature.scattered) {
    const uint64_t rows = static_cast<uint64_t>(feature.bounds[feature.bound_count - 1]);
    row = feature.blocks.quotient(feature.blocks.remainder(index) * rows);
  }
  const int64_t bound = last_bound(feature, row);
  const bool inside = bound >= 0 && static_cast<uint64_t>(bound) < feature.ranks.divisor;
  const uint64_t turn = feature.ranks.quotient(index);
  Bucketed result;
  result.rank = inside ? static_cast<uint64_t>(bound) : index - turn * feature.ranks.divisor;
  if (feature.scattered) {
    result.index = feature.blocks.quotient(index);
  } else {
    result.index = inside ? index - static_cast<uint64_t>(feature.bounds[bound]) : turn;
  }
  return result;
}

/// Unclamped variant of `bucketed`: the rank is in range only if blocks are a multiple of the
/// ranks.
PW_HD Bucketed bucketed_as_given(const BucketFeature& feature, uint64_t index) {
  Bucketed result = feature.bound_count > 0 ? at_bounds(feature, index) : in_blocks(feature, index);
  if (feature.keep_index) result.index = index;
  return result;
}

/// The rank is below the number of ranks for any feature.
PW_HD Bucketed bucketed(const BucketFeature& feature, uint64_t index) {
  Bucketed result = bucketed_as_given(feature, index);
  if (result.rank >= feature.ranks.divisor) result.rank = feature.ranks.divisor - 1;
  return result;
}

}  // namespace pinwheel
