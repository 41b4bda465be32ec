#include "kernels/jagged.h"

#include <cstring>

#include "cpu/parallel.h"

namespace pinwheel {
namespace {

/// `padding` is a pattern of 16 bytes; a destination that starts at a multiple of the element size
/// keeps it in phase because element sizes divide 16.
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
    for (int64_t outer = first; outer < last; ++outer) {
      const Run run = run_of(job.jagged, outer);
      unsigned char* const to = dense + outer * run_bytes;
      const int64_t bytes = run.length * job.row_bytes;
      if (bytes > 0) std::memcpy(to, values + run.begin * job.row_bytes, bytes);
      fill(to + bytes, run_bytes - bytes, job.padding, one_byte);
    }
  });
}

template <class Index>
void run_cpu(const DenseToJaggedJob<Index>& job) {
  if (job.row_bytes == 0) return;
  const unsigned char* const dense = static_cast<const unsigned char*>(job.dense);
  unsigned char* const values = static_cast<unsigned char*>(job.values);
  const int last_level = job.jagged.depth - 1;
  const Index* const leaf = job.jagged.offsets[last_level];
  parallel_over(job.jagged.value_rows, job.row_bytes, [&](int64_t first, int64_t last) {
    // Rows of one innermost group lie side by side in both forms: one search and two writes a
    // group.
    for (int64_t row = first; row < last;) {
      const int64_t group = segment_of(leaf, job.jagged.groups[last_level], row);
      const int64_t end = group < 0 ? last : std::min<int64_t>(last, leaf[group + 1]);
      const int64_t from = group < 0 ? -1 : dense_row_of(job.jagged, row);
      int64_t kept = 0;
      if (from >= 0) {
        const int64_t within = row - static_cast<int64_t>(leaf[group]);
        kept = std::min(end - row, job.jagged.max_length[last_level] - within);
        std::memcpy(values + row * job.row_bytes, dense + from * job.row_bytes,
                    kept * job.row_bytes);
      }
      std::memset(values + (row + kept) * job.row_bytes, 0, (end - row - kept) * job.row_bytes);
      row = end;
    }
  });
}

template void run_cpu(const JaggedToDenseJob<int32_t>&);
template void run_cpu(const JaggedToDenseJob<int64_t>&);
template void run_cpu(const DenseToJaggedJob<int32_t>&);
template void run_cpu(const DenseToJaggedJob<int64_t>&);

}  // namespace pinwheel
