#include "jobs/quantize.h"

#include "cpu/parallel.h"
#include "simd/quantize.h"

namespace pinwheel {

void run_cpu(const QuantizeJob& job) {
  const int64_t bytes = job.columns * bytes_of(job.dtype) + job.layout.row_bytes;
  parallel_over(job.rows, bytes, [&](int64_t first, int64_t last) {
    CALL_FOR_ISA(simd, quantize, job, first, last);
  });
}

void run_cpu(const DequantizeJob& job) {
  const int64_t bytes = job.layout.codes() * bytes_of(job.dtype) + job.layout.row_bytes;
  parallel_over(job.rows, bytes, [&](int64_t first, int64_t last) {
    CALL_FOR_ISA(simd, dequantize, job, first, last);
  });
}

}  // namespace pinwheel
