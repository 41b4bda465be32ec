// Groups the positions of a batch by the row that they look up: first into buckets of adjacent
// rows, each small enough for a cache, then within each bucket. Both steps are stable, so the
// result, including every sum of gradients, is the same for any number of threads.

#include "jobs/embedding_update.h"

#include <memory>
#include <vector>

#include "cpu/parallel.h"
#include "cpu/row_sort.h"
#include "index/segments.h"

namespace pinwheel {
namespace {

/// Positions [begin, end) look up rows of a table; row r belongs to bucket `first_bucket` + (r >>
/// shift).
struct TablePlan {
  TbeTable table;
  int64_t number = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t first_bucket = 0;
  int shift = 0;
};

struct Plan {
  std::vector<TablePlan> tables;  ///< those with positions
  int64_t buckets = 0;
  int64_t begin = 0;  ///< positions before `begin` and from `end` on belong to no bag
  int64_t end = 0;
  int64_t chunks = 1;  ///< of positions, distributed over threads

  int64_t chunk_begin(int64_t chunk) const { return begin + (end - begin) / chunks * chunk; }
  int64_t chunk_end(int64_t chunk) const {
    return chunk + 1 == chunks ? end : chunk_begin(chunk + 1);
  }
};

int bits_for(int64_t count) {
  int bits = 0;
  while (bits < 62 && (int64_t{1} << bits) < count) ++bits;
  return bits;
}

/// Rows within a bucket are 32-bit numbers. Rows without columns need no order, and there may be
/// arbitrarily many of them.
int shift_for(const TbeTable& table, int64_t positions) {
  constexpr int64_t kPositionsPerBucket = 8192;
  constexpr int kMostBucketBits = 10;
  if (table.columns == 0) return 63;
  const int wanted = std::min(kMostBucketBits, bits_for(positions / kPositionsPerBucket));
  return std::min(32, std::max(0, bits_for(table.rows) - wanted));
}

template <class Index>
Plan plan_for(const EmbeddingUpdate<Index>& job) {
  constexpr int64_t kPositionsPerChunk = 16 * 1024;
  Plan plan;
  const int64_t tables = job.rows.tables.count;
  plan.begin = job.bags.offsets[0];
  plan.end = job.bags.offsets[job.bags.count];
  for (int64_t t = 0; t < tables; ++t) {
    TablePlan table;
    table.number = t;
    table.begin = job.bags.offsets[t * job.bags.batch];
    table.end = job.bags.offsets[(t + 1) * job.bags.batch];
    if (table.begin == table.end) continue;
    table.table = job.rows.tables.at(t);
    table.shift = shift_for(table.table, table.end - table.begin);
    table.first_bucket = plan.buckets;
    plan.buckets += ((std::max<int64_t>(1, table.table.rows) - 1) >> table.shift) + 1;
    plan.tables.push_back(table);
  }
  const int64_t threads = torch::stable::get_num_threads();
  plan.chunks = std::min(threads, (plan.end - plan.begin) / kPositionsPerChunk + 1);
  return plan;
}

/// Calls `body(table, begin, end)` for the part of each table within a chunk.
template <class Body>
void for_tables(const Plan& plan, int64_t chunk, const Body& body) {
  for (const TablePlan& table : plan.tables) {
    const int64_t begin = std::max(table.begin, plan.chunk_begin(chunk));
    const int64_t end = std::min(table.end, plan.chunk_end(chunk));
    if (begin < end) body(table, begin, end);
  }
}

/// Counts the positions of a chunk that go to each bucket. Returns the first position whose index
/// is invalid, or -1.
template <class Index>
int64_t count_chunk(const EmbeddingUpdate<Index>& job, const Plan& plan, int64_t chunk,
                    int64_t* counts) {
  int64_t bad = -1;
  for_tables(plan, chunk, [&](const TablePlan& table, int64_t begin, int64_t end) {
    const uint64_t rows = static_cast<uint64_t>(table.table.rows);
    int64_t* const here = counts + table.first_bucket;
    for (int64_t i = begin; i < end; ++i) {
      const uint64_t row = static_cast<uint64_t>(static_cast<int64_t>(job.bags.indices[i]));
      if (row >= rows) {
        if (bad < 0) bad = i;
        return;
      }
      ++here[row >> table.shift];
    }
  });
  return bad;
}

/// The factor of the gradient for a position of a bag.
template <class Index>
float factor_of(const EmbeddingUpdate<Index>& job, int64_t position, float share) {
  return job.indice_weights == nullptr ? share : job.indice_weights[position] * share;
}

void fill(Occurrence& item, uint32_t row, uint32_t grad_row, float) {
  item.row = row;
  item.grad_row = grad_row;
}
void fill(WeightedOccurrence& item, uint32_t row, uint32_t grad_row, float factor) {
  item.row = row;
  item.grad_row = grad_row;
  item.factor = factor;
}

/// Writes the positions of a chunk to their buckets, from `next[bucket]` on.
template <class Item, class Index>
void scatter_chunk(const EmbeddingUpdate<Index>& job, const Plan& plan, int64_t chunk,
                   int64_t* next_of_all, Item* items) {
  for_tables(plan, chunk, [&](const TablePlan& table, int64_t begin, int64_t end) {
    const uint32_t mask = static_cast<uint32_t>((uint64_t{1} << table.shift) - 1);
    const int shift = table.shift;
    int64_t* const next = next_of_all + table.first_bucket;
    const auto put = [&](int64_t i, int64_t grad_row, float factor) {
      const uint64_t row = static_cast<uint64_t>(job.bags.indices[i]);
      fill(items[next[row >> shift]++], static_cast<uint32_t>(row) & mask,
           static_cast<uint32_t>(grad_row), factor);
    };
    if (!job.rows.pooled) {
      for (int64_t i = begin; i < end; ++i) put(i, i - table.begin, 1);
      return;
    }
    const Index* const offsets = job.bags.offsets + table.number * job.bags.batch;
    for (int64_t b = segment_of(offsets, job.bags.batch, begin), i = begin; i < end; ++b) {
      const int64_t length = static_cast<int64_t>(offsets[b + 1]) - offsets[b];
      const int64_t last = std::min<int64_t>(end, offsets[b + 1]);
      const float share = job.mean ? 1.0f / static_cast<float>(length) : 1.0f;
      for (; i < last; ++i) put(i, b, factor_of(job, i, share));
    }
  });
}

/// counts[chunk][bucket] -> the offset of the chunk's positions within the result; returns where
/// buckets start.
std::vector<int64_t> place(const Plan& plan, std::vector<int64_t>& counts) {
  std::vector<int64_t> starts(plan.buckets + 1);
  int64_t at = 0;
  for (int64_t bucket = 0; bucket < plan.buckets; ++bucket) {
    starts[bucket] = at;
    for (int64_t chunk = 0; chunk < plan.chunks; ++chunk) {
      int64_t& count = counts[chunk * plan.buckets + bucket];
      const int64_t start = at;
      at += count;
      count = start;
    }
  }
  starts[plan.buckets] = at;
  return starts;
}

template <class Index>
RowBucket describe(const EmbeddingUpdate<Index>& job, const TablePlan& table, int64_t number) {
  RowBucket bucket;
  bucket.table = table.table;
  bucket.first_row = (number - table.first_bucket) << table.shift;
  bucket.momentum_at = job.rows.tables.hash_size_cumsum[table.number] + bucket.first_row;
  bucket.grad_at = job.rows.pooled ? table.table.out_column : table.begin * job.rows.grad_columns;
  bucket.weighted = job.weighted();
  return bucket;
}

/// Sorts the buckets that start in [begin, end) and passes them on.
template <class Item, class Index>
void work_on(const EmbeddingUpdate<Index>& job, const Plan& plan,
             const std::vector<int64_t>& starts, Item* items, Item* room, int64_t begin,
             int64_t end, const std::function<void(const RowBucket&)>& body) {
  std::vector<float> sum;
  size_t at = 0;
  int64_t number = std::lower_bound(starts.begin(), starts.end() - 1, begin) - starts.begin();
  for (; number < plan.buckets && starts[number] < end; ++number) {
    const int64_t count = starts[number + 1] - starts[number];
    if (count == 0) continue;
    while (at + 1 < plan.tables.size() && plan.tables[at + 1].first_bucket <= number) ++at;
    const TablePlan& table = plan.tables[at];
    if (table.table.columns == 0) continue;
    RowBucket bucket = describe(job, table, number);
    sum.resize(std::max<size_t>(sum.size(), table.table.columns));
    bucket.sum = sum.data();
    const int bits = std::min(table.shift, bits_for(table.table.rows));
    bucket.occurrences = sort_by_row(items + starts[number], room + starts[number], count, bits);
    bucket.count = count;
    body(bucket);
  }
}

template <class Item, class Index>
int64_t group(const EmbeddingUpdate<Index>& job,
              const std::function<void(const RowBucket&)>& body) {
  const Plan plan = plan_for(job);
  const int64_t count = plan.end - plan.begin;
  if (count == 0) return -1;
  std::vector<int64_t> counts(plan.chunks * plan.buckets);
  std::vector<int64_t> bad(plan.chunks, -1);
  torch::stable::parallel_for(0, plan.chunks, 1, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      bad[c] = count_chunk(job, plan, c, counts.data() + c * plan.buckets);
    }
  });
  for (const int64_t position : bad) {
    if (position >= 0) return position;
  }
  const std::vector<int64_t> starts = place(plan, counts);
  const std::unique_ptr<Item[]> memory(new Item[2 * count]);
  Item* const items = memory.get();
  torch::stable::parallel_for(0, plan.chunks, 1, [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      scatter_chunk(job, plan, c, counts.data() + c * plan.buckets, items);
    }
  });
  parallel_over(count, 2 * sizeof(float) * job.rows.tables.total_D / job.rows.tables.count,
                [&](int64_t first, int64_t last) {
                  work_on(job, plan, starts, items, items + count, first, last, body);
                });
  return -1;
}

}  // namespace

template <class Index>
int64_t for_each_bucket(const EmbeddingUpdate<Index>& job,
                        const std::function<void(const RowBucket&)>& body) {
  return job.weighted() ? group<WeightedOccurrence>(job, body) : group<Occurrence>(job, body);
}

template int64_t for_each_bucket(const EmbeddingUpdate<int32_t>&,
                                 const std::function<void(const RowBucket&)>&);
template int64_t for_each_bucket(const EmbeddingUpdate<int64_t>&,
                                 const std::function<void(const RowBucket&)>&);

}  // namespace pinwheel
