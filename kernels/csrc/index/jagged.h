#pragma once

// Maps rows of a jagged tensor to rows of its padded dense form, and back.
//
// A jagged tensor of depth n holds rows `values[0..value_rows)`; level d groups the rows of level d
// + 1 (level n groups the values): group g of level d is [offsets[d][g], offsets[d][g + 1]). The
// dense form has the shape [groups[0], max_length[0], ..., max_length[n-1], row]; dense rows are
// numbered in C order.

#include <cstdint>

#include "index/host_device.h"
#include "index/segments.h"
#include "index/split.h"
#include "index/untrusted.h"

namespace pinwheel {

constexpr int kMaxJaggedDepth = 5;

template <class Index>
struct JaggedView {
  int depth = 0;
  int64_t value_rows = 0;
  const Index* offsets[kMaxJaggedDepth] = {};
  int64_t groups[kMaxJaggedDepth] = {};  ///< offsets[d] has groups[d] + 1 elements
  int64_t max_length[kMaxJaggedDepth] =
      {};  ///< rows of the dense form per group; longer groups are truncated
};

/// Value rows [begin, begin + length) that appear in the dense form of one innermost group.
struct Run {
  int64_t begin = 0;
  int64_t length = 0;
};

/// An innermost group of the dense form: a group of the outermost level and a position in each
/// level below it except the last.
struct Coordinates {
  int64_t group = 0;
  int64_t within[kMaxJaggedDepth] = {};
};

/// Coordinates of group `outer` of the dense form, counted over [groups[0], max_length[0..n-2]].
template <class Index>
PW_HD Coordinates coordinates_of(const JaggedView<Index>& jagged, int64_t outer) {
  Coordinates at;
  // With compile-time subscripts, a GPU keeps `within` in registers.
  PW_UNROLL
  for (int d = kMaxJaggedDepth - 2; d >= 0; --d) {
    if (d > jagged.depth - 2) continue;
    const Split level = split(outer, jagged.max_length[d]);
    at.within[d] = level.rest;
    outer = level.quotient;
  }
  at.group = outer;
  return at;
}

/// The run of group `group` of the innermost level, which is `level`; see run_at(). For views of
/// depth 1, level 0, that is the group of the dense form.
template <class Index>
PW_HD Run run_in(const JaggedView<Index>& jagged, int level, int64_t group) {
  const int64_t begin = jagged.offsets[level][group];
  const int64_t whole = length_within(begin, jagged.offsets[level][group + 1], INT64_MAX);
  const int64_t limit = jagged.max_length[level];
  const int64_t length = whole < limit ? whole : limit;
  if (length <= 0 || length > jagged.value_rows - begin) return Run{};
  return Run{begin, length};
}

/// The run that fills a group of the dense form; empty if the group is all padding. Offsets that
/// are out of range for their level yield an empty run, and differences of offsets never overflow.
template <class Index>
PW_HD Run run_at(const JaggedView<Index>& jagged, const Coordinates& at) {
  int64_t group = at.group;
  PW_UNROLL
  for (int d = 0; d < kMaxJaggedDepth - 1; ++d) {
    if (d >= jagged.depth - 1) break;
    const int64_t begin = jagged.offsets[d][group];
    const int64_t length = length_within(begin, jagged.offsets[d][group + 1], INT64_MAX);
    if (at.within[d] >= length) return Run{};
    group = begin + at.within[d];
    if (group >= jagged.groups[d + 1]) return Run{};
  }
  return run_in(jagged, jagged.depth - 1, group);
}

template <class Index>
PW_HD Run run_of(const JaggedView<Index>& jagged, int64_t outer) {
  return run_at(jagged, coordinates_of(jagged, outer));
}

/// The value row in dense row `dense_row`, or -1 for padding.
template <class Index>
PW_HD int64_t value_row_of(const JaggedView<Index>& jagged, int64_t dense_row) {
  const int64_t limit = jagged.max_length[jagged.depth - 1];
  const Split at = split(dense_row, limit);
  const Run run = run_of(jagged, at.quotient);
  return at.rest < run.length ? run.begin + at.rest : -1;
}

/// The place of a row in the dense form: a group of the outermost level, or -1 for none, and a row
/// within it. Stored in shared memory, which has no initializers.
struct DensePlace {
  int64_t group;
  int64_t within;
};
PW_HD DensePlace no_place() {
  return DensePlace{-1, 0};
}

/// The place of value row `value_row`; none if the row was truncated or belongs to no group.
template <class Index>
PW_HD DensePlace dense_place_of(const JaggedView<Index>& jagged, int64_t value_row) {
  int64_t node = value_row;
  int64_t row = 0;
  int64_t stride = 1;
  for (int d = jagged.depth - 1; d >= 0; --d) {
    const int64_t group = segment_of(jagged.offsets[d], jagged.groups[d], node);
    if (group < 0) return no_place();
    const int64_t begin = jagged.offsets[d][group];
    if (begin < 0) return no_place();
    const int64_t within = node - begin;
    if (within >= jagged.max_length[d]) return no_place();
    row += within * stride;
    stride *= jagged.max_length[d];
    node = group;
  }
  return DensePlace{node, row};
}

/// The same for depth 1, if `group` is that of the last offset not above `value_row`, or -1.
template <class Index>
PW_HD DensePlace dense_place_in(const JaggedView<Index>& jagged, int64_t group, int64_t value_row) {
  if (group < 0 || group >= jagged.groups[0]) return no_place();
  const int64_t within = length_within(jagged.offsets[0][group], value_row, INT64_MAX);
  return within >= 0 && within < jagged.max_length[0] ? DensePlace{group, within} : no_place();
}

/// Rows of the dense form per group of the outermost level.
template <class Index>
PW_HD int64_t dense_rows_per_group(const JaggedView<Index>& jagged) {
  int64_t rows = 1;
  for (int d = 0; d < jagged.depth; ++d) rows *= jagged.max_length[d];
  return rows;
}

PW_HD int64_t dense_row_at(const DensePlace& place, int64_t rows_per_group) {
  return place.group < 0 ? -1 : place.group * rows_per_group + place.within;
}

/// The dense row that holds value row `value_row`, or -1 if there is none.
template <class Index>
PW_HD int64_t dense_row_of(const JaggedView<Index>& jagged, int64_t value_row) {
  return dense_row_at(dense_place_of(jagged, value_row), dense_rows_per_group(jagged));
}

}  // namespace pinwheel
