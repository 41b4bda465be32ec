#pragma once

// To which rank an index of a feature goes, and what it is called there.

#include <cstdint>

#include "index/divider.h"
#include "index/host_device.h"

namespace pinwheel {

/// The rows of one feature, split over ranks. Either in blocks of one size, `blocks_per_rank` to a
/// rank, or at `bounds`, the first rows of the ranks. Indices beyond are dealt out by their
/// remainders.
struct BucketFeature {
  uint64_t limit = 0;  ///< blocks hold the indices below
  Divider rank_rows;   ///< rows of all blocks of a rank
  Divider blocks;      ///< in all
  Divider blocks_per_rank;
  Divider ranks;
  const int64_t* bounds = nullptr;
  int64_t bound_count = 0;
  bool scattered = false;  ///< with bounds: rows are found by the index's remainder
  bool keep_index = false;
};

/// What the caller says about a feature.
struct BucketSpec {
  int64_t block_size = 0;
  int64_t blocks = 1;
  int64_t ranks = 1;
  bool keep_index = false;
  const int64_t* bounds = nullptr;
  int64_t bound_count = 0;
};

/// Wrong numbers (negative ones, fewer blocks than ranks) give some feature that can be used.
PW_HD BucketFeature bucket_feature(const BucketSpec& spec) {
  const uint64_t ranks = spec.ranks > 0 ? static_cast<uint64_t>(spec.ranks) : 1;
  const uint64_t blocks = spec.blocks > 0 ? static_cast<uint64_t>(spec.blocks) : 1;
  const uint64_t size = spec.block_size > 0 ? static_cast<uint64_t>(spec.block_size) : 0;
  const uint64_t per_rank = blocks >= ranks ? blocks / ranks : 1;
  BucketFeature feature;
  feature.limit = size * blocks;
  feature.rank_rows = Divider(size > 0 ? size * per_rank : 1);
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

/// The last of the bounds that is not above `index`; -1 when there is none.
PW_HD int64_t last_bound(const BucketFeature& feature, uint64_t index) {
  // Without jumps: which way a search goes cannot be predicted.
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

/// Less checked than `bucketed`: the rank is in range where blocks are a multiple of the ranks.
PW_HD Bucketed bucketed_as_given(const BucketFeature& feature, uint64_t index) {
  Bucketed result = feature.bound_count > 0 ? at_bounds(feature, index) : in_blocks(feature, index);
  if (feature.keep_index) result.index = index;
  return result;
}

/// The rank is below the number of ranks whatever the feature's numbers are.
PW_HD Bucketed bucketed(const BucketFeature& feature, uint64_t index) {
  Bucketed result = bucketed_as_given(feature, index);
  if (result.rank >= feature.ranks.divisor) result.rank = feature.ranks.divisor - 1;
  return result;
}

}  // namespace pinwheel
