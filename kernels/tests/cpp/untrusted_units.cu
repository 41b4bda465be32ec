// Index arithmetic on contents that may be anything, one kernel per function, for
// test_nvcc_arithmetic.py: it runs the code that nvcc makes of them. `numbers` are the contents, as
// many as the name says, and a 0, a 0 and a 4. `limit` is the size of what the contents point into.
// A kernel reports ranges: begin, length and the size that they must fit into.

#include "index/tables.h"
#include "units/bucketize_units.h"
#include "units/embedding_units.h"
#include "units/jagged_units.h"
#include "units/permute_units.h"
#include "units/pooled_units.h"
#include "units/ranges_units.h"

using namespace pinwheel;

namespace {

struct Report {
  int64_t* out;
  __device__ void range(int64_t begin, int64_t length, int64_t size) {
    out[0] = begin;
    out[1] = length;
    out[2] = size;
    out += 3;
  }
};

template <int kDepth>
__device__ JaggedView<int64_t> jagged_of(const int64_t* numbers, int64_t limit) {
  JaggedView<int64_t> jagged;
  jagged.depth = kDepth;
  jagged.value_rows = limit;
  PW_UNROLL
  for (int d = 0; d < kDepth; ++d) {
    jagged.offsets[d] = numbers + 2 * d;
    jagged.groups[d] = 1;
    jagged.max_length[d] = 3;
  }
  return jagged;
}

}  // namespace

extern "C" __global__ void bucketize_bag_2(const int64_t* numbers, int64_t limit, int64_t* out) {
  BucketizeJob<int64_t, int64_t> job;
  job.offsets = numbers;
  job.bags = 1;
  job.feature_count = 1;
  job.count = limit;
  const Bag bag = bag_at(job, 0);
  Report{out}.range(bag.begin, bag.length, limit);
}

extern "C" __global__ void tbe_bag_2(const int64_t* numbers, int64_t limit, int64_t* out) {
  TbeBags<int64_t> bags;
  bags.offsets = numbers;
  bags.positions = limit;
  const TbeBag bag = bags.at(0);
  Report{out}.range(bag.begin, bag.length, limit);
}

extern "C" __global__ void tbe_columns_2(const int64_t* numbers, int64_t limit, int64_t* out) {
  TbeTables tables;
  tables.weights_offsets = numbers + 2;
  tables.hash_size_cumsum = numbers + 2;
  tables.D_offsets = numbers;
  tables.wide = true;
  tables.total_D = limit;
  const TbeTable table = tables.at(0);
  Report{out}.range(table.out_column, table.columns, limit);
}

extern "C" __global__ void tbe_rows_3(const int64_t* numbers, int64_t limit, int64_t* out) {
  TbeTables tables;
  tables.weights_offsets = numbers;
  tables.hash_size_cumsum = numbers + 1;
  tables.D_offsets = numbers + 4;
  tables.wide = true;
  tables.total_D = 4;
  tables.weights = limit;
  const TbeTable table = tables.at(0);
  Report{out}.range(table.first, table.rows * table.stride, limit);
}

extern "C" __global__ void segment_2(const int64_t* numbers, int64_t limit, int64_t* out) {
  const Span span = span_of(numbers, 0, 1, limit);
  Report{out}.range(span.begin, span.end - span.begin, limit);
}

extern "C" __global__ void jagged_run_2(const int64_t* numbers, int64_t limit, int64_t* out) {
  const Run run = run_of(jagged_of<1>(numbers, limit), 0);
  Report{out}.range(run.begin, run.length, limit);
}

extern "C" __global__ void nested_jagged_run_4(const int64_t* numbers, int64_t limit,
                                               int64_t* out) {
  Coordinates at;
  at.within[0] = 1;
  JaggedView<int64_t> jagged = jagged_of<2>(numbers, limit);
  const Run run = run_at(jagged, at);
  Report{out}.range(run.begin, run.length, limit);
}

/// The size of the dense form is that of `jagged_of`, and -1 stands for no row.
extern "C" __global__ void dense_row_2(const int64_t* numbers, int64_t limit, int64_t* out) {
  const int64_t row = dense_row_of(jagged_of<1>(numbers, limit), limit - 1);
  Report{out}.range(row + 1, 0, 3);
}

extern "C" __global__ void pooled_piece_5(const int64_t* numbers, int64_t limit, int64_t* out) {
  PooledJob job;
  job.in_offsets = numbers;
  job.out_offsets = numbers + 2;
  job.permute = numbers + 4;
  job.segments = 1;
  job.row_elements = limit;
  job.element_bytes = 1;
  const PooledPiece piece = pooled_piece(job, 0);
  Report report{out};
  report.range(piece.from, piece.copied, limit);
  report.range(piece.to, piece.bytes, limit);
}

/// `numbers` are also what an element is copied from.
extern "C" __global__ void permuted_element_3(const int64_t* numbers, int64_t, int64_t* out) {
  SegmentCopyJob job;
  job.offsets = numbers;
  job.starts = numbers + 2;
  job.segments = 1;
  job.in = numbers;
  job.in_elements = 3;
  job.out = out;
  segment_copy_unit<uint64_t>(job, 1);
  Report{out}.range(0, 0, 0);
}

extern "C" __global__ void bucket_3(const int64_t* numbers, int64_t limit, int64_t* out) {
  BucketSpec spec;
  spec.block_size = numbers[0];
  spec.blocks = numbers[1];
  spec.ranks = limit;
  const Bucketed to = bucketed(bucket_feature(spec), static_cast<uint64_t>(numbers[2]));
  Report{out}.range(static_cast<int64_t>(to.rank), 1, limit);
}
