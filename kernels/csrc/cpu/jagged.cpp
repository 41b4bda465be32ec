#include "jobs/jagged.h"

#include <cstring>

#include "cpu/jagged_walk.h"
#include "cpu/parallel.h"

namespace pinwheel {
namespace {

/// `padding` is a 16-byte pattern; it stays in phase with any destination that starts at a multiple
/// of the element size, because element sizes divide 16.
void fill(unsigned char* to, int64_t bytes, const unsigned char (&padding)[16], bool one_byte) {
  if (one_byte) {
    std::memset(to, padding[0], bytes);
    return;
  }
  int64_t i = 0;
  for (; i + 16 <= bytes; i += 16) std::memcpy(to + i, padding, 16);
  std::memcpy(to + i, padding, bytes - i);
}

bool is_one_byte(const unsigned char (&padding)[16]) {
  return std::all_of(padding, padding + 16, [&](unsigned char c) { return c == padding[0]; });
}

}  // namespace

template <class Index>
void run_cpu(const JaggedToDenseJob<Index>& job) {
  const int64_t run_rows = job.jagged.max_length[job.jagged.depth - 1];
  if (job.dense_rows == 0 || run_rows == 0 || job.row_bytes == 0) return;
  const unsigned char* const values = static_cast<const unsigned char*>(job.values);
  unsigned char* const dense = static_cast<unsigned char*>(job.dense);
  const int64_t run_bytes = run_rows * job.row_bytes;
  const bool one_byte = is_one_byte(job.padding);
  parallel_over(job.dense_rows / run_rows, run_bytes, [&](int64_t first, int64_t last) {
    for_each_dense_run(job.jagged, first, last, [&](int64_t outer, const Run& run) {
      unsigned char* const to = dense + outer * run_bytes;
      const int64_t bytes = run.length * job.row_bytes;
      if (bytes > 0) std::memcpy(to, values + run.begin * job.row_bytes, bytes);
      if (bytes < run_bytes) fill(to + bytes, run_bytes - bytes, job.padding, one_byte);
    });
  });
}

template <class Index>
void run_cpu(const DenseToJaggedJob<Index>& job) {
  if (job.row_bytes == 0) return;
  const unsigned char* const dense = static_cast<const unsigned char*>(job.dense);
  unsigned char* const values = static_cast<unsigned char*>(job.values);
  const int64_t row_bytes = job.row_bytes;
  // Rows of one innermost group are contiguous in both forms.
  parallel_over(job.jagged.value_rows, row_bytes, [&](int64_t first, int64_t last) {
    for_each_value_run(job.jagged, first, last, [&](const ValueRun& run) {
      const int64_t cut = run.end - run.begin - run.kept;
      unsigned char* const to = values + run.begin * row_bytes;
      if (run.kept > 0) std::memcpy(to, dense + run.dense_row * row_bytes, run.kept * row_bytes);
      if (cut > 0) std::memset(to + run.kept * row_bytes, 0, cut * row_bytes);
    });
  });
}

template void run_cpu(const JaggedToDenseJob<int32_t>&);
template void run_cpu(const JaggedToDenseJob<int64_t>&);
template void run_cpu(const DenseToJaggedJob<int32_t>&);
template void run_cpu(const DenseToJaggedJob<int64_t>&);

}  // namespace pinwheel
