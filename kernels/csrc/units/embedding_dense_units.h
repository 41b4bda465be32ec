#pragma once

// What one GPU thread does for unit `i` of the gradients of a lookup; see jagged_units.h.

#include "index/segments.h"
#include "jobs/embedding_dense.h"
#include "units/tbe_units.h"

namespace pinwheel {

/// Unit i: the contribution of position i.
template <class Index>
PW_HD void occurrence_unit(const OccurrencesJob<Index>& job, int64_t i) {
  const DenseGradientJob<Index>& of = job.of;
  job.row[i] = kNoRow;
  job.source[i] = 0;
  job.scale[i] = 0;
  const int64_t t = of.bags.table_of(i, of.tables.count);
  if (t < 0) return;
  const TbeTable table = of.tables.at(t);
  const int64_t row = of.bags.row_at(i, table);
  // A row without columns would shadow another table's row at the same address.
  if (row < 0 || table.columns == 0) return;
  float scale = of.indice_weights == nullptr ? 1.0f : of.indice_weights[i];
  if (of.pooling == Pooling::kNone) {
    if (table.columns != of.grad_columns) return;
    job.source[i] = i * of.grad_columns;
  } else {
    const Index* const offsets = of.bags.offsets + t * of.bags.batch;
    const int64_t b = segment_of(offsets, of.bags.batch, i);
    if (b < 0) return;
    const TbeBag bag = of.bags.at(t * of.bags.batch + b);
    if (i < bag.begin || i >= bag.begin + bag.length) return;
    job.source[i] = b * of.grad_columns + table.out_column;
    if (of.pooling == Pooling::kMean) scale /= static_cast<float>(bag.length);
  }
  job.row[i] = table.first + row * table.stride;
  job.scale[i] = scale;
}

/// The first position after `from` whose number is greater than `number`, which is sorted[from];
/// `count` if there is none. Reads few numbers if the run is short, as most are.
PW_HD int64_t end_of_run(const int64_t* sorted, int64_t from, int64_t count, int64_t number) {
  int64_t low = from + 1;
  int64_t step = 1;
  while (step < count - low && sorted[low + step - 1] <= number) {
    low += step;
    step *= 2;
  }
  int64_t high = step < count - low ? low + step - 1 : count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (sorted[middle] <= number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// One chunk of the sum over occurrences [begin, end) of a row.
template <class Grad, class Index>
PW_HD void sum_occurrences(const SortedGradientJob<Index>& job, const PlainChunks<Grad>& chunks,
                           int64_t chunk, int64_t begin, int64_t end, float* sums) {
  constexpr int kNumbers = PlainChunks<Grad>::kNumbers;
  for (int k = 0; k < kNumbers; ++k) sums[k] = 0;
  for (int64_t i = begin; i < end; i += kRowsUnderWay) {
    typename PlainChunks<Grad>::Chunk read[kRowsUnderWay];
    float scales[kRowsUnderWay] = {};
    for (int r = 0; r < kRowsUnderWay; ++r) {
      if (i + r >= end) continue;
      const int64_t position = job.permutation[i + r];
      // Tables of other widths may claim the same row.
      if (job.source[position] > job.of.grad_elements - chunks.table.columns) continue;
      read[r] = chunks.read(job.source[position], chunk);
      scales[r] = job.scale[position];
    }
    for (int r = 0; r < kRowsUnderWay; ++r) {
      for (int k = 0; k < kNumbers; ++k) sums[k] += chunks.number(read[r], k) * scales[r];
    }
  }
}

/// Lane `lane` of the `lanes` of sorted occurrence `at`, which processes its row if it is the row's
/// first.
template <class Grad, class Index>
PW_HD void sorted_gradient_unit(const SortedGradientJob<Index>& job, int lane, int lanes,
                                int64_t at) {
  const DenseGradientJob<Index>& of = job.of;
  const int64_t row = job.row[at];
  if (row == kNoRow || (at > 0 && job.row[at - 1] == row)) return;
  const int64_t t = of.bags.table_of(job.permutation[at], of.tables.count);
  TbeTable grad_rows;
  grad_rows.columns = of.tables.at(t).columns;
  grad_rows.stride = 1;
  const PlainChunks<Grad> chunks(of.grad, grad_rows);
  const int64_t end = end_of_run(job.row, at, of.bags.positions, row);
  constexpr int kNumbers = PlainChunks<Grad>::kNumbers;
  for (int64_t chunk = lane; chunk * kNumbers < grad_rows.columns; chunk += lanes) {
    float sums[kNumbers];
    sum_occurrences(job, chunks, chunk, at, end, sums);
    store_chunk<kNumbers>(of.out, of.out_dtype, row, chunk * kNumbers, grad_rows.columns, sums);
  }
}

}  // namespace pinwheel
