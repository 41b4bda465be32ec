#pragma once

// Lookups on a GPU, for any row format.
//
// Bytes: each row once, 4 or 8 for its index, each result once. Rows are scattered, so the number
// of bytes in flight limits the speed. A bag gets as many lanes as a row of average width has
// 16-byte words, so short rows share a wave; a lane keeps 4 such words in flight and reads the next
// 4 indices meanwhile. Lanes of a bag read the same indices, which is one access. Lanes exchange
// nothing, so bags of different lengths may diverge.

#include "gpu/device.h"
#include "units/tbe_units.h"

namespace pinwheel::gpu {

template <class Rows, class Index>
struct PooledLookup {
  EmbeddingForwardJob<Index> job;
  Rows rows;
  int lanes;
  PW_HD void operator()(int64_t i) const { pooled_unit(job, rows, lanes, i); }
};

template <class Rows, class Index>
struct UnpooledLookup {
  EmbeddingForwardJob<Index> job;
  Rows rows;
  int lanes;
  PW_HD void operator()(int64_t i) const { unpooled_unit(job, rows, lanes, i); }
};

/// `element_bytes`: size of an element of a row.
template <class Rows, class Index>
void launch_lookup(const char* name, const EmbeddingForwardJob<Index>& job, const Rows& rows,
                   int64_t element_bytes, void* stream) {
  if (job.tables.count == 0 || job.out_columns == 0) return;
  const int64_t columns = (job.tables.total_D + job.tables.count - 1) / job.tables.count;
  const int lanes = lanes_for_row((columns + job.tables.row_extra) * element_bytes);
  if (job.pooling == Pooling::kNone) {
    launch_units(name, UnpooledLookup<Rows, Index>{job, rows, lanes}, job.bags.positions * lanes,
                 stream);
  } else {
    launch_units(name, PooledLookup<Rows, Index>{job, rows, lanes}, job.bags.count * lanes, stream);
  }
}

}  // namespace pinwheel::gpu
