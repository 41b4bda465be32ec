#include "jobs/jagged_vector.h"

#include <cstring>

#include "cpu/jagged_walk.h"
#include "cpu/parallel.h"
#include "simd/jagged_vector.h"

namespace pinwheel {
namespace {

/// Extents in bytes.
template <class Index>
struct Bytes {
  explicit Bytes(const JaggedVectorShape<Index>& shape)
      : element(bytes_of(shape.dtype)),
        head(shape.columns * element),
        row(shape.heads * head),
        weights(shape.jagged.max_length[0] * element) {}
  int64_t element;
  int64_t head;     ///< one head of a value row or of a gradient
  int64_t row;      ///< one value row
  int64_t weights;  ///< one vector
};

const unsigned char* at(const void* begin, int64_t bytes) {
  return static_cast<const unsigned char*>(begin) + bytes;
}
unsigned char* at(void* begin, int64_t bytes) {
  return static_cast<unsigned char*>(begin) + bytes;
}

/// Head `head` of the value rows of `run`.
template <class Index>
simd::StridedRows rows_of(const JaggedVectorShape<Index>& shape, const void* values, const Run& run,
                          int64_t head) {
  const Bytes<Index> bytes(shape);
  simd::StridedRows rows;
  rows.at = at(values, run.begin * bytes.row + head * bytes.head);
  rows.end = at(values, shape.jagged.value_rows * bytes.row);
  rows.rows = run.length;
  rows.columns = shape.columns;
  rows.stride = shape.heads * shape.columns;
  return rows;
}

/// Calls `body(run, b * heads + head, head)` for every vector, in parallel.
template <class Index, class Body>
void for_each_vector(const JaggedVectorShape<Index>& shape, const Body& body) {
  const int64_t groups = shape.jagged.groups[0];
  const Bytes<Index> bytes(shape);
  const int64_t rows_each = groups > 0 ? shape.jagged.value_rows / groups + 1 : 1;
  parallel_over(groups, rows_each * bytes.row, [&](int64_t first, int64_t last) {
    for_each_dense_run(shape.jagged, first, last, [&](int64_t group, const Run& run) {
      for (int64_t h = 0; h < shape.heads; ++h) body(run, group * shape.heads + h, h);
    });
  });
}

}  // namespace

template <class Index>
void run_cpu(const VectorTimesJaggedJob<Index>& job) {
  const Bytes<Index> bytes(job.shape);
  for_each_vector(job.shape, [&](const Run& run, int64_t vector, int64_t head) {
    CALL_FOR_ISA(simd, weighted_sum, job.shape.dtype, at(job.v, vector * bytes.weights),
                 rows_of(job.shape, job.values, run, head), at(job.out, vector * bytes.head));
  });
}

template <class Index>
void run_cpu(const VectorGradientJob<Index>& job) {
  const Bytes<Index> bytes(job.shape);
  for_each_vector(job.shape, [&](const Run& run, int64_t vector, int64_t head) {
    unsigned char* const out = at(job.out, vector * bytes.weights);
    CALL_FOR_ISA(simd, dot_products, job.shape.dtype, at(job.gradient, vector * bytes.head),
                 rows_of(job.shape, job.values, run, head), out);
    const int64_t shown = run.length * bytes.element;
    std::memset(out + shown, 0, bytes.weights - shown);
  });
}

template <class Index>
void run_cpu(const JaggedGradientJob<Index>& job) {
  const JaggedVectorShape<Index>& shape = job.shape;
  const Bytes<Index> bytes(shape);
  if (bytes.row == 0) return;
  const int64_t max_length = shape.jagged.max_length[0];
  parallel_over(shape.jagged.value_rows, bytes.row, [&](int64_t first, int64_t last) {
    for_each_value_run(shape.jagged, first, last, [&](const ValueRun& run) {
      unsigned char* const out = at(job.out, run.begin * bytes.row);
      if (run.kept > 0) {
        const int64_t vector = run.dense_row / max_length * shape.heads;
        const int64_t within = run.dense_row % max_length;
        CALL_FOR_ISA(simd, outer_products, shape.dtype,
                     at(job.v, vector * bytes.weights + within * bytes.element), max_length,
                     at(job.gradient, vector * bytes.head), run.kept, shape.heads, shape.columns,
                     out);
      }
      const int64_t cut = run.end - run.begin - run.kept;
      if (cut > 0) std::memset(out + run.kept * bytes.row, 0, cut * bytes.row);
    });
  });
}

template void run_cpu(const VectorTimesJaggedJob<int32_t>&);
template void run_cpu(const VectorTimesJaggedJob<int64_t>&);
template void run_cpu(const VectorGradientJob<int32_t>&);
template void run_cpu(const VectorGradientJob<int64_t>&);
template void run_cpu(const JaggedGradientJob<int32_t>&);
template void run_cpu(const JaggedGradientJob<int64_t>&);

}  // namespace pinwheel
