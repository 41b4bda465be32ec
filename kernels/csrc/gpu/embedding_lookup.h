#pragma once

// Lookups on a GPU, for rows of any kind.
//
// Bytes: each row once, 4 or 8 for its index, each result once. Rows lie anywhere, so what limits
// the speed is how many bytes are under way at once. A bag gets as many lanes as make up a row of
// average width in words of 16 bytes, so short rows share a wave; a lane has 4 such words under way
// and reads the next 4 indices meanwhile. Lanes of a bag read the same indices, which is one
// access. Nothing is exchanged between lanes: bags of different lengths may part company.

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

/// `element_bytes`: of a number of a row.
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
