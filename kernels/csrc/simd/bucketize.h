#pragma once

#include <cstdint>

#include "simd/each_isa.h"

namespace pinwheel::simd {

/// Ranks with `rows` rows each of a feature of `limit` rows.
struct RankRows {
  uint64_t limit = 0;
  uint64_t rows = 1;
};

/// The rank of each of `count` indices, and the row there unless `rows` is null. Returns false,
/// with unspecified output, if one of them is not below the limit or not below 2^52.
DECLARE_FOR_EACH_ISA(bool split_by_rank(const RankRows& ranks, const uint32_t* indices,
                                        int64_t count, uint64_t* rank, uint64_t* row);
                     bool split_by_rank(const RankRows& ranks, const uint64_t* indices,
                                        int64_t count, uint64_t* rank, uint64_t* row);)

}  // namespace pinwheel::simd
