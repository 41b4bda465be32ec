#pragma once

// The inner loops of embedding lookups: scattered rows are added up, or copied. Rows are
// prefetched, because their addresses are known long before they are needed.

#include "index/quantized_row.h"
#include "index/tbe_tables.h"
#include "jobs/embedding.h"
#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// This many accumulators stay in registers.
constexpr int kMostVectors = 8;
constexpr int64_t kBlock = int64_t{kMostVectors} * kLanes;
constexpr int64_t kLine = 64;

/// Whether each position has a weight that its row is multiplied by.
enum class Weights { kNone, kGiven };

/// The rows that positions look up in one table. `Row` defines how they are read: Row::Element from
/// row.numbers(start) on and, if Row::kScaled, times a scale plus a bias, which together occupy
/// Row::kExtraBytes. If Row::kMayBePruned, index -1 is a pruned row that adds nothing.
template <class Row, class Index>
struct RowSource {
  TbeTable table;
  Row row;
  const typename Row::Element* rows = nullptr;  ///< the table's first row
  const Index* indices = nullptr;
  const float* weights = nullptr;  ///< one per position, or null
  int64_t known = 0;               ///< positions before this one belong to the same table
  bool aligned = false;            ///< rows start at cache line boundaries
};

/// Columns of a row as vectors: at `column`, `column` + kLanes and so on; the last one at `last`,
/// where it may overlap the one before it.
struct Columns {
  int64_t column = 0;
  int64_t last = 0;
};

/// Where sums go.
struct Result {
  FloatDtype dtype = FloatDtype::kFloat32;
  void* data = nullptr;
};

/// Bytes of kVectors vectors of columns plus the row's scale and bias, if any.
template <int kVectors, class Row>
constexpr int64_t row_bytes() {
  return kVectors * kLanes * int64_t{sizeof(typename Row::Element)} + Row::kExtraBytes;
}

/// How many positions ahead rows are prefetched: many short ones take as long as a few long ones.
template <int kVectors, class Row>
constexpr int64_t rows_ahead() {
  return row_bytes<kVectors, Row>() <= 2 * kLine ? 40 : 24;
}

/// Prefetches the row that position `i` looks up: the cache lines of kVectors vectors from
/// `columns` on.
template <int kVectors, class Row, class Index>
PW_SIMD void fetch_row(const RowSource<Row, Index>& source, const Columns& columns, int64_t i) {
  constexpr uint64_t kSize = sizeof(typename Row::Element);
  constexpr uint64_t kBytes = row_bytes<kVectors, Row>();
  const uint64_t at = static_cast<uint64_t>(static_cast<int64_t>(source.indices[i])) *
                      static_cast<uint64_t>(source.table.stride);
  // Integer arithmetic: a bad index must not form an out-of-bounds pointer, and a prefetch of any
  // address is harmless.
  const uint64_t line = reinterpret_cast<uintptr_t>(source.rows) +
                        (at + static_cast<uint64_t>(columns.column)) * kSize;
  for (uint64_t k = 0; k < kBytes; k += kLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(line + k), 0, 3);
  }
  // One more line is rarely touched if little of the row is in the last one.
  if (kBytes % kLine != 0 && kBytes % kLine < kLine / 2) return;
  if (!source.aligned) __builtin_prefetch(reinterpret_cast<const void*>(line + kBytes - 1), 0, 3);
}

/// Adds the row of position `i`, times its weight. Returns false if its index is invalid.
template <int kVectors, bool kPart, Weights kWeights, class Row, class Index>
PW_SIMD bool add_row(const RowSource<Row, Index>& source, const Columns& columns, int64_t i,
                     Floats* sums, float& bias) {
  const int64_t row = source.indices[i];
  if (static_cast<uint64_t>(row) >= static_cast<uint64_t>(source.table.rows)) {
    return Row::kMayBePruned && row == -1;
  }
  const auto* const start = source.rows + row * source.table.stride;
  const auto* const numbers = source.row.numbers(start) + columns.column;
  const RowScale scale =
      source.row.scale(start, kWeights == Weights::kNone ? 1.0f : source.weights[i]);
  const Floats factor = splat(scale.scale);
  constexpr bool kAsItIs = !Row::kScaled && kWeights == Weights::kNone;
  if (Row::kScaled) bias += scale.bias;
  for (int v = 0; v < kVectors; ++v) {
    const int64_t at = v + 1 < kVectors ? v * kLanes : columns.last - columns.column;
    const Floats part = kPart ? load_part(numbers, columns.last) : load(numbers + at);
    sums[v] = kAsItIs ? sums[v] + part : fma(part, factor, sums[v]);
  }
  return true;
}

/// The sum of the rows of positions [begin, end), times their weights, for kVectors vectors of
/// columns; with `kPart`, for one vector of only `columns.last` lanes. Returns the first position
/// whose index is out of range, or -1.
template <int kVectors, bool kPart, Weights kWeights, class Row, class Index>
PW_SIMD int64_t sum_rows(const RowSource<Row, Index>& in, const Columns& columns, int64_t begin,
                         int64_t end, Floats* sums) {
  const RowSource<Row, Index> source = in;  // its members stay in registers
  constexpr int64_t kAhead = rows_ahead<kVectors, Row>();
  const int64_t known = source.known - kAhead;
  const int64_t fetching = end < known ? end : known;
  for (int v = 0; v < kVectors; ++v) sums[v] = splat(0);
  float bias = 0;
  int64_t i = begin;
  for (; i < fetching; ++i) {
    if (!add_row<kVectors, kPart, kWeights>(source, columns, i, sums, bias)) return i;
    fetch_row<kVectors>(source, columns, i + kAhead);
  }
  for (; i < end; ++i) {
    if (!add_row<kVectors, kPart, kWeights>(source, columns, i, sums, bias)) return i;
  }
  if (Row::kScaled) {
    for (int v = 0; v < kVectors; ++v) sums[v] = sums[v] + splat(bias);
  }
  return -1;
}

template <int kVectors, bool kPart, class Out>
PW_SIMD void store_sums(Out* out, const Columns& columns, const Floats* sums, float scale) {
  if (kPart) return store_part(out, sums[0] * splat(scale), columns.last);
  for (int v = 0; v + 1 < kVectors; ++v) {
    store(out + columns.column + v * kLanes, sums[v] * splat(scale));
  }
  store(out + columns.last, sums[kVectors - 1] * splat(scale));
}

/// The above, and stores the sums times `scale` in the result, from element `to` on.
template <int kVectors, bool kPart, class Row, class Index>
PW_SIMD int64_t pool_rows(const RowSource<Row, Index>& source, const Columns& columns,
                          int64_t begin, int64_t end, float scale, const Result& out, int64_t to) {
  Floats sums[kVectors];
  const int64_t bad =
      source.weights == nullptr
          ? sum_rows<kVectors, kPart, Weights::kNone>(source, columns, begin, end, sums)
          : sum_rows<kVectors, kPart, Weights::kGiven>(source, columns, begin, end, sums);
  if (bad >= 0) return bad;
  if (out.dtype == FloatDtype::kFloat32) {
    store_sums<kVectors, kPart>(static_cast<float*>(out.data) + to, columns, sums, scale);
  } else if (out.dtype == FloatDtype::kFloat16) {
    store_sums<kVectors, kPart>(static_cast<Fp16*>(out.data) + to, columns, sums, scale);
  } else {
    store_sums<kVectors, kPart>(static_cast<Bf16*>(out.data) + to, columns, sums, scale);
  }
  return -1;
}

/// A block of as many columns as fit in registers.
template <class Row, class Index>
int64_t pool_block(const RowSource<Row, Index>& source, int64_t column, int64_t begin, int64_t end,
                   float scale, const Result& out, int64_t to) {
  const Columns columns{column, column + kBlock - kLanes};
  return pool_rows<kMostVectors, false>(source, columns, begin, end, scale, out, to);
}

/// A bag, or a position without pooling: full blocks of columns, then kVectors vectors for the
/// rest.
template <int kVectors, bool kPart, class Row, class Index>
PW_SIMD int64_t pool_bag(const RowSource<Row, Index>& source, int64_t begin, int64_t end,
                         float scale, const Result& out, int64_t to) {
  const int64_t width = source.table.columns;
  Columns columns;
  columns.last = kPart ? width : width - kLanes;
  for (; columns.column + kBlock < width; columns.column += kBlock) {
    const int64_t bad = pool_block(source, columns.column, begin, end, scale, out, to);
    if (bad >= 0) return bad;
  }
  return pool_rows<kVectors, kPart>(source, columns, begin, end, scale, out, to);
}

/// Bags [first, last) of one table.
template <int kVectors, bool kPart, class Row, class Index>
int64_t pool_table(const EmbeddingForwardJob<Index>& job, const RowSource<Row, Index>& source,
                   int64_t first, int64_t last) {
  const Result out{job.out_dtype, job.out};
  const Index* const offsets = job.bags.offsets;
  if (job.pooling == Pooling::kNone) {
    for (int64_t i = offsets[first]; i < offsets[last]; ++i) {
      const int64_t to = i * job.out_columns;
      const int64_t bad = pool_bag<kVectors, kPart>(source, i, i + 1, 1.0f, out, to);
      if (bad >= 0) return bad;
    }
    return -1;
  }
  const bool mean = job.pooling == Pooling::kMean;
  int64_t to = first % job.bags.batch * job.out_columns + source.table.out_column;
  for (int64_t bag = first; bag < last; ++bag, to += job.out_columns) {
    const int64_t begin = offsets[bag];
    const int64_t end = offsets[bag + 1];
    const float scale = mean && end > begin ? 1.0f / static_cast<float>(end - begin) : 1.0f;
    const int64_t bad = pool_bag<kVectors, kPart>(source, begin, end, scale, out, to);
    if (bad >= 0) return bad;
  }
  return -1;
}

template <class Row, class Index>
using PoolTable = int64_t (*)(const EmbeddingForwardJob<Index>&, const RowSource<Row, Index>&,
                              int64_t, int64_t);

/// Dispatches on the number of vectors in a table's last block.
template <class Row, class Index, int kVectors = 1>
PW_SIMD PoolTable<Row, Index> pool_table_of(int64_t vectors) {
  if constexpr (kVectors < kMostVectors) {
    if (vectors > kVectors) return pool_table_of<Row, Index, kVectors + 1>(vectors);
  }
  return &pool_table<kVectors, false, Row, Index>;
}

template <class Row, class Index>
PW_SIMD int64_t forward_of_table(const EmbeddingForwardJob<Index>& job,
                                 const RowSource<Row, Index>& source, int64_t first, int64_t last) {
  const int64_t width = source.table.columns;
  const int64_t rest = width - (width - 1) / kBlock * kBlock;
  const PoolTable<Row, Index> pool = width < kLanes
                                         ? &pool_table<1, true, Row, Index>
                                         : pool_table_of<Row, Index>((rest + kLanes - 1) / kLanes);
  return pool(job, source, first, last);
}

/// Bags [first, last) of a job whose rows are read by `Row`; `row_of(table)` makes one for a table.
template <class Row, class Index, class RowOf>
PW_SIMD int64_t forward_of_bags(const EmbeddingForwardJob<Index>& job, int64_t first, int64_t last,
                                const RowOf& row_of) {
  for (int64_t bag = first; bag < last;) {
    const int64_t t = bag / job.bags.batch;
    const int64_t table_end = (t + 1) * job.bags.batch;
    const int64_t end = table_end < last ? table_end : last;
    RowSource<Row, Index> source;
    source.table = job.tables.at(t);
    source.row = row_of(source.table);
    source.rows = static_cast<const typename Row::Element*>(job.weights) + source.table.first;
    source.indices = job.bags.indices;
    source.weights = job.indice_weights;
    source.known = job.bags.offsets[end];
    const int64_t row_bytes = source.table.stride * static_cast<int64_t>(sizeof(*source.rows));
    source.aligned = (reinterpret_cast<uintptr_t>(source.rows) | row_bytes) % kLine == 0;
    const int64_t bad = source.table.columns == 0 ? -1 : forward_of_table(job, source, bag, end);
    if (bad >= 0) return bad;
    bag = end;
  }
  return -1;
}

}  // namespace
}  // namespace pinwheel::simd::PINWHEEL_ISA
