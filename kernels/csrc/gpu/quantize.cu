// Quantizing reads every element once and writes one byte for each, dequantizing the reverse: a
// float32 row of D elements moves 4 D + D + 8 bytes, and only memory bandwidth limits it. A row
// stays in registers between finding its bounds and encoding it. Lanes load 16 bytes at a time (4
// or 8 elements) and store their codes as one word; short rows share a group of 32 lanes, so that a
// multiprocessor has 32 KB of loads in flight. Rows of an odd length or address take the general
// kernels, which read twice, the second time from the caches, and store words of 4 codes.

#include "jobs/quantize.h"

#include "gpu/device.h"
#include "units/pack.h"
#include "units/quantize_units.h"

namespace pinwheel {
namespace quantize_kernels {

using namespace gpu;

struct RowBounds {
  float least = 0;
  float most = 0;

  __device__ void take(float number) {
    least = number < least ? number : least;
    most = number > most ? number : most;
  }
};

/// The bounds over `lanes` adjacent lanes, a power of two; all lanes of the group of 32 must call
/// it.
__device__ RowBounds bounds_over(RowBounds bounds, int lanes) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) {
    const float least = shuffle_xor(bounds.least, mask);
    const float most = shuffle_xor(bounds.most, mask);
    bounds.least = least < bounds.least ? least : bounds.least;
    bounds.most = most > bounds.most ? most : bounds.most;
  }
  return bounds;
}

/// `lanes` lanes per row, with at most kPacks packs per lane.
template <class Element, int kPacks>
__global__ void quantize_packs_kernel(QuantizeJob job, int lanes) {
  constexpr int kWidth = 16 / static_cast<int>(sizeof(Element));
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int64_t rows_at_once = kThreads / lanes;
  for (int64_t base = blockIdx.x * rows_at_once; base < job.rows;
       base += gridDim.x * rows_at_once) {
    const int64_t wanted = base + static_cast<int>(threadIdx.x) / lanes;
    // Lanes without a row take part, because shuffles need all lanes.
    const bool inside = wanted < job.rows;
    const int64_t r = inside ? wanted : job.rows - 1;
    const Element* const row = static_cast<const Element*>(job.in) + r * job.columns;
    Pack<Element, kWidth> packs[kPacks];
    PW_UNROLL
    for (int p = 0; p < kPacks; ++p) {
      const int64_t column = static_cast<int64_t>(p * lanes + lane) * kWidth;
      if (column < job.columns) packs[p] = load_pack<Element, kWidth>(row + column);
    }
    RowBounds bounds{to_float(row[0]), to_float(row[0])};
    PW_UNROLL
    for (int p = 0; p < kPacks; ++p) {
      if (static_cast<int64_t>(p * lanes + lane) * kWidth >= job.columns) continue;
      for (int k = 0; k < kWidth; ++k) bounds.take(to_float(packs[p].at[k]));
    }
    bounds = bounds_over(bounds, lanes);
    const RowCoder coder(bounds.least, bounds.most);
    uint8_t* const out = job.out + r * job.layout.row_bytes;
    PW_UNROLL
    for (int p = 0; p < kPacks; ++p) {
      const int64_t column = static_cast<int64_t>(p * lanes + lane) * kWidth;
      if (!inside || column >= job.columns) continue;
      Pack<uint8_t, kWidth> codes;
      for (int k = 0; k < kWidth; ++k) codes.at[k] = coder.code(to_float(packs[p].at[k]));
      *reinterpret_cast<Pack<uint8_t, kWidth>*>(out + column) = codes;
    }
    if (inside && lane == 0) write_aligned_scale(out, job.layout, coder.parameters);
  }
}

/// One group of lanes per row of any length. Rows of codes are a multiple of 4 here.
template <class Element>
__global__ void quantize_kernel(QuantizeJob job) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  for (int64_t r = group; r < job.rows; r += groups) {
    const Element* const row = static_cast<const Element*>(job.in) + r * job.columns;
    uint8_t* const out = job.out + r * job.layout.row_bytes;
    const float first = job.columns > 0 ? to_float(row[0]) : 0.0f;
    RowBounds bounds{first, first};
    for (int64_t i = lane; i < job.columns; i += kLanes) bounds.take(to_float(row[i]));
    bounds = bounds_over(bounds, kLanes);
    const RowCoder coder(bounds.least, bounds.most);
    for (int64_t i = 4 * lane; i < job.layout.codes(); i += 4 * kLanes) {
      *reinterpret_cast<uint32_t*>(out + i) = four_codes(coder, row, i, job.columns);
    }
    if (lane == 0) write_aligned_scale(out, job.layout, coder.parameters);
  }
}

/// `lanes` lanes per row; each writes 16 bytes of elements at a time.
template <class Element>
__global__ void dequantize_packs_kernel(DequantizeJob job, int lanes) {
  constexpr int kWidth = 16 / static_cast<int>(sizeof(Element));
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int64_t rows_at_once = kThreads / lanes;
  const int64_t columns = job.layout.codes();
  for (int64_t r = blockIdx.x * rows_at_once + static_cast<int>(threadIdx.x) / lanes; r < job.rows;
       r += gridDim.x * rows_at_once) {
    const uint8_t* const row = job.in + r * job.layout.row_bytes;
    const uint8_t* const codes = row + job.layout.codes_at();
    Element* const out = static_cast<Element*>(job.out) + r * columns;
    const RowScale value = read_aligned_scale(row, job.layout);
    for (int64_t column = lane * kWidth; column < columns; column += lanes * kWidth) {
      const auto pack = load_pack<uint8_t, kWidth>(codes + column);
      Pack<Element, kWidth> numbers;
      for (int k = 0; k < kWidth; ++k) {
        from_float(static_cast<float>(pack.at[k]) * value.scale + value.bias, numbers.at[k]);
      }
      store_streaming(reinterpret_cast<Pack<Element, kWidth>*>(out + column), numbers);
    }
  }
}

template <class Element>
struct Dequantize {
  DequantizeJob job;
  PW_HD void operator()(int64_t i) const { dequantize_unit<Element>(job, i); }
};

/// The number of lanes that covers `packs` packs at once: a power of two up to 32.
int lanes_for(int64_t packs) {
  int lanes = 1;
  while (lanes < kLanes && lanes < packs) lanes *= 2;
  return lanes;
}

constexpr const char* kQuantize = "FloatOrHalfToFused8BitRowwiseQuantized";
constexpr const char* kDequantize = "Fused8BitRowwiseQuantizedToFloatOrHalf";

template <class Element, int kPacks>
void quantize_packs(const QuantizeJob& job, int lanes, Stream stream) {
  launch(kQuantize, &quantize_packs_kernel<Element, kPacks>, blocks_for(job.rows, kThreads / lanes),
         stream, job, lanes);
}

template <class Element>
void quantize(const QuantizeJob& job, void* stream_in) {
  const Stream stream = static_cast<Stream>(stream_in);
  if (job.rows == 0) return;
  constexpr int64_t kWidth = 16 / sizeof(Element);
  const int64_t row_bytes = job.columns * static_cast<int64_t>(sizeof(Element));
  const bool packs = job.columns > 0 && pack_elements<Element>(row_bytes, address(job.in)) > 1 &&
                     (address(job.out) | job.layout.row_bytes) % kWidth == 0;
  const int64_t count = job.columns / kWidth;
  const int lanes = lanes_for(count);
  const int64_t rounds = (count + lanes - 1) / lanes;
  if (packs && rounds <= 1) return quantize_packs<Element, 1>(job, lanes, stream);
  if (packs && rounds <= 2) return quantize_packs<Element, 2>(job, lanes, stream);
  if (packs && rounds <= 8) return quantize_packs<Element, 8>(job, lanes, stream);
  launch(kQuantize, &quantize_kernel<Element>, blocks_for(job.rows, kGroups), stream, job);
}

template <class Element>
void dequantize(const DequantizeJob& job, void* stream) {
  const int64_t columns = job.layout.codes();
  if (job.rows == 0 || columns == 0) return;
  constexpr int64_t kWidth = 16 / sizeof(Element);
  const uint64_t codes =
      address(job.in) | static_cast<uint64_t>(job.layout.row_bytes | job.layout.codes_at());
  const bool packs = codes % kWidth == 0 && columns % kWidth == 0 && address(job.out) % 16 == 0;
  if (!packs) {
    return launch_units(kDequantize, Dequantize<Element>{job}, job.rows * columns, stream);
  }
  const int lanes = lanes_for(columns / kWidth);
  launch(kDequantize, &dequantize_packs_kernel<Element>, blocks_for(job.rows, kThreads / lanes),
         static_cast<Stream>(stream), job, lanes);
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
