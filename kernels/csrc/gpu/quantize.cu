#include "kernels/quantize.h"

#include "gpu/device.h"
#include "units/quantize_units.h"

namespace pinwheel {
namespace quantize_kernels {

using namespace gpu;

/// One group of lanes a row; it reads the row twice, the second time from the caches. Rows have a
/// multiple of 4 codes here, so that every store is one aligned word of 4.
template <class Element>
__global__ void quantize_kernel(QuantizeJob job) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  for (int64_t r = group; r < job.rows; r += groups) {
    const Element* const row = static_cast<const Element*>(job.in) + r * job.columns;
    uint8_t* const out = job.out + r * job.layout.row_bytes;
    float least = job.columns > 0 ? to_float(row[0]) : 0.0f;
    float most = least;
    for (int64_t i = lane; i < job.columns; i += kLanes) {
      const float number = to_float(row[i]);
      least = number < least ? number : least;
      most = number > most ? number : most;
    }
    for (int mask = kLanes / 2; mask > 0; mask /= 2) {
      const float other_least = shuffle_xor(least, mask);
      const float other_most = shuffle_xor(most, mask);
      least = other_least < least ? other_least : least;
      most = other_most > most ? other_most : most;
    }
    const RowCoder coder(least, most);
    for (int64_t i = 4 * lane; i < job.layout.codes(); i += 4 * kLanes) {
      *reinterpret_cast<uint32_t*>(out + i) = four_codes(coder, row, i, job.columns);
    }
    if (lane == 0) write_scale(out, job.layout, coder.parameters);
  }
}

template <class Element>
struct Dequantize {
  DequantizeJob job;
  PW_HD void operator()(int64_t i) const { dequantize_unit<Element>(job, i); }
};

template <class Element>
void quantize(const QuantizeJob& job, void* stream) {
  if (job.rows == 0) return;
  launch("FloatOrHalfToFused8BitRowwiseQuantized", &quantize_kernel<Element>,
         blocks_for(job.rows, kGroups), static_cast<Stream>(stream), job);
}

template <class Element>
void dequantize(const DequantizeJob& job, void* stream) {
  launch_units("Fused8BitRowwiseQuantizedToFloatOrHalf", Dequantize<Element>{job},
               job.rows * job.layout.codes(), stream);
}

}  // namespace quantize_kernels

using namespace quantize_kernels;

void run_gpu(const QuantizeJob& job, void* stream) {
  with_float_type(job.dtype, [&](auto element) { quantize<decltype(element)>(job, stream); });
}

void run_gpu(const DequantizeJob& job, void* stream) {
  with_float_type(job.dtype, [&](auto element) { dequantize<decltype(element)>(job, stream); });
}

}  // namespace pinwheel
