#include "jobs/embedding_dense.h"

#include <cstring>

#include "cpu/embedding.h"
#include "simd/embedding_dense.h"

// The gradient of a table is a lookup too: each row of the table is a bag of rows of `grad`, those
// of the bags in which it occurs. So occurrences are counting-sorted by row and then looked up.

namespace pinwheel {
namespace {

/// The occurrences of all rows of a table, row by row.
struct Occurrences {
  std::vector<int64_t> offsets;  ///< [rows + 1]
  std::vector<int64_t> sources;  ///< where the gradient of the occurrence's bag starts in `grad`
  std::vector<float> scales;
};

bool same(const TbeTable& a, const TbeTable& b) {
  return a.first == b.first && a.rows == b.rows && a.columns == b.columns;
}

/// Calls `body(row, source, scale)` for the occurrences of the rows of table t. Returns the first
/// position whose index is out of range, or -1.
template <class Index, class Body>
int64_t for_occurrences(const DenseGradientJob<Index>& job, int64_t t, const Body& body) {
  const TbeTable table = job.tables.at(t);
  for (int64_t b = 0; b < job.bags.batch; ++b) {
    const TbeBag bag = job.bags.at(t * job.bags.batch + b);
    const float scale =
        job.pooling == Pooling::kMean ? 1.0f / static_cast<float>(bag.length) : 1.0f;
    for (int64_t i = bag.begin; i < bag.begin + bag.length; ++i) {
      const int64_t row = job.bags.row_at(i, table);
      if (row < 0) return i;
      const int64_t source = job.pooling == Pooling::kNone
                                 ? i * job.grad_columns
                                 : b * job.grad_columns + table.out_column;
      body(row, source, job.indice_weights == nullptr ? scale : scale * job.indice_weights[i]);
    }
  }
  return -1;
}

/// The occurrences of `table` in all features from `t` on that share it.
template <class Index>
int64_t sort_occurrences(const DenseGradientJob<Index>& job, int64_t t, const TbeTable& table,
                         Occurrences& sorted) {
  sorted.offsets.assign(table.rows + 1, 0);
  const auto for_all = [&](const auto& body) {
    for (int64_t u = t; u < job.tables.count; ++u) {
      if (!same(job.tables.at(u), table)) continue;
      const int64_t bad = for_occurrences(job, u, body);
      if (bad >= 0) return bad;
    }
    return int64_t{-1};
  };
  const int64_t bad = for_all([&](int64_t row, int64_t, float) { ++sorted.offsets[row + 1]; });
  if (bad >= 0) return bad;
  for (int64_t row = 0; row < table.rows; ++row) sorted.offsets[row + 1] += sorted.offsets[row];
  sorted.sources.resize(sorted.offsets[table.rows]);
  sorted.scales.resize(sorted.offsets[table.rows]);
  std::vector<int64_t> next(sorted.offsets.begin(), sorted.offsets.end() - 1);
  for_all([&](int64_t row, int64_t source, float scale) {
    const int64_t at = next[row]++;
    sorted.sources[at] = source;
    sorted.scales[at] = scale;
  });
  return -1;
}

/// Computes the gradient of all rows of `table`; rows without occurrences become zero.
template <class Index>
void sum_occurrences(const DenseGradientJob<Index>& job, const TbeTable& table,
                     const Occurrences& sorted) {
  const int64_t first = 0;
  const int64_t grad_rows[] = {0, job.grad_elements - table.columns + 1};
  const int64_t columns[] = {0, table.columns};
  EmbeddingForwardJob<int64_t> lookup;
  // A row of `grad` may start at any of its elements.
  lookup.tables.weights_offsets = &first;
  lookup.tables.hash_size_cumsum = grad_rows;
  lookup.tables.D_offsets = columns;
  lookup.tables.wide = true;
  lookup.tables.count = 1;
  lookup.tables.weights = job.grad_elements;
  lookup.tables.total_D = table.columns;
  lookup.tables.row_extra = 1 - table.columns;
  lookup.bags.indices = sorted.sources.data();
  lookup.bags.offsets = sorted.offsets.data();
  lookup.bags.batch = table.rows;
  lookup.bags.count = table.rows;
  lookup.bags.positions = static_cast<int64_t>(sorted.sources.size());
  lookup.weights_dtype = job.grad_dtype;
  lookup.out_dtype = job.out_dtype;
  lookup.weights = job.grad;
  lookup.indice_weights = sorted.scales.data();
  const int64_t bytes = job.out_dtype == FloatDtype::kFloat32 ? 4 : 2;
  lookup.out = static_cast<unsigned char*>(job.out) + table.first * bytes;
  lookup.out_columns = table.columns;
  int64_t none = -1;
  lookup.first_bad = &none;
  run_cpu(lookup);
}

/// Whether a feature before t shares the same table.
bool is_repeated(const TbeTables& tables, int64_t t, const TbeTable& table) {
  for (int64_t u = 0; u < t; ++u) {
    if (same(tables.at(u), table)) return true;
  }
  return false;
}

}  // namespace

template <class Index>
void run_cpu(const DenseGradientJob<Index>& job) {
  const int64_t bytes = job.out_dtype == FloatDtype::kFloat32 ? 4 : 2;
  unsigned char* const out = static_cast<unsigned char*>(job.out);
  int64_t covered = 0;
  for (int64_t t = 0; t < job.tables.count; ++t) {
    const TbeTable table = job.tables.at(t);
    if (!is_repeated(job.tables, t, table)) covered += table.rows * table.columns;
  }
  if (covered < job.tables.weights) {  // elements that belong to no table
    parallel_over(job.tables.weights, bytes, [&](int64_t first, int64_t last) {
      std::memset(out + first * bytes, 0, (last - first) * bytes);
    });
  }
  Occurrences sorted;
  for (int64_t t = 0; t < job.tables.count; ++t) {
    const TbeTable table = job.tables.at(t);
    if (table.columns == 0 || is_repeated(job.tables, t, table)) continue;
    const int64_t bad = sort_occurrences(job, t, table, sorted);
    if (bad >= 0) {
      *job.first_bad = bad;
      return;
    }
    sum_occurrences(job, table, sorted);
  }
}

template <class Index>
void run_cpu(const IndiceWeightsGradientJob<Index>& job) {
  *job.first_bad = for_bags(job.tables, job.bags, [&](int64_t first, int64_t last) {
    return CALL_FOR_ISA(simd, indice_weights_gradient, job, first, last);
  });
  const int64_t covered = job.bags.offsets[job.bags.count];
  std::memset(job.out + covered, 0, (job.bags.positions - covered) * sizeof(float));
}

template void run_cpu(const DenseGradientJob<int32_t>&);
template void run_cpu(const DenseGradientJob<int64_t>&);
template void run_cpu(const IndiceWeightsGradientJob<int32_t>&);
template void run_cpu(const IndiceWeightsGradientJob<int64_t>&);

}  // namespace pinwheel
