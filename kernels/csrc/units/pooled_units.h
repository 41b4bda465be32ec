#pragma once

// The layout of the pieces of a PooledJob; see jagged_units.h.

#include "index/host_device.h"
#include "index/untrusted.h"
#include "jobs/pooled.h"

namespace pinwheel {

/// Bytes [to, to + bytes) of a row: the first `copied` of them from `from` on, the rest zero.
struct PooledPiece {
  int64_t to = 0;
  int64_t bytes = 0;
  int64_t from = 0;
  int64_t copied = 0;
};

PW_HD int64_t within_row(const PooledJob& job, int64_t column) {
  return clamped(column, job.row_elements);
}

/// Piece t; pieces `segments` and `segments` + 1 are what is before and after all others. Always
/// within the row, whatever the offsets and the permutation.
PW_HD PooledPiece pooled_piece(const PooledJob& job, int64_t t) {
  const bool before = t == job.segments;
  const bool behind = t > job.segments;
  const int64_t begin = within_row(job, before   ? 0
                                        : behind ? job.out_offsets[job.segments]
                                                 : job.out_offsets[t]);
  const int64_t end = within_row(job, before   ? job.out_offsets[0]
                                      : behind ? job.row_elements
                                               : job.out_offsets[t + 1]);
  PooledPiece piece;
  if (end <= begin) return piece;
  piece.to = begin * job.element_bytes;
  piece.bytes = (end - begin) * job.element_bytes;
  if (before || behind) return piece;
  const int64_t feature = job.permute[t];
  if (feature < 0 || feature >= job.segments) return piece;
  const int64_t first = within_row(job, job.in_offsets[feature]);
  const int64_t last = within_row(job, job.in_offsets[feature + 1]);
  if (last <= first) return piece;
  const int64_t there = last - first < end - begin ? last - first : end - begin;
  piece.from = first * job.element_bytes;
  piece.copied = there * job.element_bytes;
  return piece;
}

}  // namespace pinwheel
