#include "jobs/jagged_elementwise.h"

#include <cstring>

#include "cpu/jagged_walk.h"
#include "cpu/parallel.h"
#include "simd/jagged_elementwise.h"

namespace pinwheel {
namespace {

const unsigned char* bytes(const void* at) {
  return static_cast<const unsigned char*>(at);
}

}  // namespace

template <class Index>
void run_cpu(const CombineToJaggedJob<Index>& job) {
  const int64_t row_bytes = job.row_elements * bytes_of(job.dtype);
  unsigned char* const out = static_cast<unsigned char*>(job.out);
  parallel_over(job.jagged.value_rows, 3 * row_bytes, [&](int64_t first, int64_t last) {
    for_each_value_run(job.jagged, first, last, [&](const ValueRun& run) {
      const unsigned char* const from = bytes(job.values) + run.begin * row_bytes;
      unsigned char* const to = out + run.begin * row_bytes;
      if (run.kept > 0) {
        CALL_FOR_ISA(simd, combine, job.dtype, job.combine, from,
                     bytes(job.dense) + run.dense_row * row_bytes, to, run.kept * job.row_elements);
      }
      const int64_t cut = (run.end - run.begin - run.kept) * row_bytes;
      if (cut == 0) return;
      if (job.combine == Combine::kAdd) {
        std::memcpy(to + run.kept * row_bytes, from + run.kept * row_bytes, cut);
      } else {
        std::memset(to + run.kept * row_bytes, 0, cut);
      }
    });
  });
}

template <class Index>
void run_cpu(const CombineToDenseJob<Index>& job) {
  const int64_t run_rows = job.jagged.max_length[job.jagged.depth - 1];
  if (job.dense_rows == 0 || run_rows == 0 || job.row_elements == 0) return;
  const int64_t row_bytes = job.row_elements * bytes_of(job.dtype);
  const int64_t run_bytes = run_rows * row_bytes;
  const bool add = job.combine == Combine::kAdd;
  unsigned char* const out = static_cast<unsigned char*>(job.out);
  parallel_over(job.dense_rows / run_rows, 3 * run_bytes, [&](int64_t first, int64_t last) {
    for_each_dense_run(job.jagged, first, last, [&](int64_t outer, const Run& run) {
      const unsigned char* const from = bytes(job.values) + run.begin * row_bytes;
      const unsigned char* const other =
          bytes(job.other) + (add ? outer * run_bytes : run.begin * row_bytes);
      unsigned char* const to = out + outer * run_bytes;
      const int64_t shown = run.length * row_bytes;
      if (shown > 0) {
        CALL_FOR_ISA(simd, combine, job.dtype, job.combine, from, other, to,
                     run.length * job.row_elements);
      }
      if (shown == run_bytes) return;
      if (add) {
        std::memcpy(to + shown, other + shown, run_bytes - shown);
      } else {
        std::memset(to + shown, 0, run_bytes - shown);
      }
    });
  });
}

template void run_cpu(const CombineToJaggedJob<int32_t>&);
template void run_cpu(const CombineToJaggedJob<int64_t>&);
template void run_cpu(const CombineToDenseJob<int32_t>&);
template void run_cpu(const CombineToDenseJob<int64_t>&);

}  // namespace pinwheel
