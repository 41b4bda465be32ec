#include "jobs/jagged_softmax.h"

#include <cstring>

#include "cpu/parallel.h"
#include "simd/jagged_softmax.h"

namespace pinwheel {
namespace {

const unsigned char* at(const void* begin, int64_t bytes) {
  return static_cast<const unsigned char*>(begin) + bytes;
}
unsigned char* at(void* begin, int64_t bytes) {
  return static_cast<unsigned char*>(begin) + bytes;
}

/// Calls `body(byte position, rows)` for each group that has rows, in parallel, and zeroes unused
/// rows.
template <class Job, class Body>
void for_each_group(const Job& job, const Body& body) {
  const auto* const offsets = job.jagged.offsets[0];
  const int64_t groups = job.jagged.groups[0];
  const int64_t row_bytes = job.columns * bytes_of(job.dtype);
  const int64_t rows = job.jagged.value_rows;
  const int64_t rows_each = groups > 0 ? rows / groups + 1 : 1;
  // Exponentials cost more than moving the bytes.
  parallel_over(groups, 4 * rows_each * row_bytes, [&](int64_t first, int64_t last) {
    for (int64_t g = first; g < last; ++g) {
      const int64_t begin = offsets[g];
      const int64_t end = offsets[g + 1];
      const int64_t length = std::min<int64_t>(end - begin, job.jagged.max_length[0]);
      if (length > 0) body(begin * row_bytes, length);
      if (begin + length < end) {
        std::memset(at(job.out, (begin + length) * row_bytes), 0,
                    (end - begin - length) * row_bytes);
      }
    }
  });
  const int64_t covered = offsets[groups];
  if (covered < rows)
    std::memset(at(job.out, covered * row_bytes), 0, (rows - covered) * row_bytes);
}

}  // namespace

template <class Index>
void run_cpu(const JaggedSoftmaxJob<Index>& job) {
  for_each_group(job, [&](int64_t position, int64_t rows) {
    CALL_FOR_ISA(simd, softmax, job.dtype, at(job.values, position), rows, job.columns,
                 at(job.out, position));
  });
}

template <class Index>
void run_cpu(const JaggedSoftmaxGradientJob<Index>& job) {
  for_each_group(job, [&](int64_t position, int64_t rows) {
    CALL_FOR_ISA(simd, softmax_gradient, job.dtype, at(job.gradient, position),
                 at(job.softmax, position), rows, job.columns, at(job.out, position));
  });
}

template void run_cpu(const JaggedSoftmaxJob<int32_t>&);
template void run_cpu(const JaggedSoftmaxJob<int64_t>&);
template void run_cpu(const JaggedSoftmaxGradientJob<int32_t>&);
template void run_cpu(const JaggedSoftmaxGradientJob<int64_t>&);

}  // namespace pinwheel
