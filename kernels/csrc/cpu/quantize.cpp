#include "kernels/quantize.h"

#include <cstring>
#include <type_traits>
#include <vector>

#include "cpu/parallel.h"

namespace pinwheel {
namespace {

struct Bounds {
  float least = 0;
  float most = 0;
};

/// The compiler's own vectors, of a size that every CPU has in hardware.
constexpr int kLanes = 4;
typedef float Lanes __attribute__((vector_size(kLanes * sizeof(float))));

/// Sixteen running minima and maxima side by side, said explicitly: the compiler may not split up a
/// single one by itself, because of NaN and signed zeros.
Bounds bounds_of(const float* row, int64_t columns) {
  constexpr int kVectors = 4;
  if (columns == 0) return {};
  Lanes least[kVectors];
  Lanes most[kVectors];
  for (int v = 0; v < kVectors; ++v) least[v] = most[v] = Lanes{} + row[0];
  int64_t i = 0;
  for (; i + kVectors * kLanes <= columns; i += kVectors * kLanes) {
    for (int v = 0; v < kVectors; ++v) {
      Lanes numbers;
      std::memcpy(&numbers, row + i + v * kLanes, sizeof(numbers));
      least[v] = numbers < least[v] ? numbers : least[v];
      most[v] = numbers > most[v] ? numbers : most[v];
    }
  }
  Bounds bounds{row[0], row[0]};
  for (int lane = 0; lane < kVectors * kLanes; ++lane) {
    const float low = least[lane / kLanes][lane % kLanes];
    const float high = most[lane / kLanes][lane % kLanes];
    bounds.least = low < bounds.least ? low : bounds.least;
    bounds.most = high > bounds.most ? high : bounds.most;
  }
  for (; i < columns; ++i) {
    bounds.least = row[i] < bounds.least ? row[i] : bounds.least;
    bounds.most = row[i] > bounds.most ? row[i] : bounds.most;
  }
  return bounds;
}

void quantize_row(const float* row, int64_t columns, const QuantizedLayout& layout, uint8_t* out) {
  const Bounds bounds = bounds_of(row, columns);
  const RowCoder coder(bounds.least, bounds.most);
  uint8_t* const codes = out + layout.codes_at();
  for (int64_t i = 0; i < columns; ++i) codes[i] = coder.code(row[i]);
  std::fill(codes + columns, codes + layout.codes(), uint8_t{0});
  write_scale(out, layout, coder.parameters);
}

template <class Element>
void quantize(const QuantizeJob& job) {
  const Element* const in = static_cast<const Element*>(job.in);
  const int64_t bytes = job.columns * static_cast<int64_t>(sizeof(Element)) + job.layout.row_bytes;
  parallel_over(job.rows, bytes, [&](int64_t first, int64_t last) {
    std::vector<float> numbers(std::is_same_v<Element, float> ? 0 : job.columns);
    for (int64_t row = first; row < last; ++row) {
      const Element* const from = in + row * job.columns;
      uint8_t* const to = job.out + row * job.layout.row_bytes;
      if constexpr (std::is_same_v<Element, float>) {
        quantize_row(from, job.columns, job.layout, to);
      } else {
        for (int64_t i = 0; i < job.columns; ++i) numbers[i] = to_float(from[i]);
        quantize_row(numbers.data(), job.columns, job.layout, to);
      }
    }
  });
}

template <class Element>
void dequantize(const DequantizeJob& job) {
  const int64_t columns = job.layout.codes();
  const int64_t bytes = columns * static_cast<int64_t>(sizeof(Element)) + job.layout.row_bytes;
  parallel_over(job.rows, bytes, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      const uint8_t* const from = job.in + row * job.layout.row_bytes;
      const RowScale value = read_scale(from, job.layout);
      const uint8_t* const codes = from + job.layout.codes_at();
      Element* const to = static_cast<Element*>(job.out) + row * columns;
      for (int64_t i = 0; i < columns; ++i) {
        from_float(static_cast<float>(codes[i]) * value.scale + value.bias, to[i]);
      }
    }
  });
}

}  // namespace

void run_cpu(const QuantizeJob& job) {
  switch (job.dtype) {
    case FloatDtype::kFloat32:
      return quantize<float>(job);
    case FloatDtype::kFloat16:
      return quantize<Fp16>(job);
    case FloatDtype::kBFloat16:
      return quantize<Bf16>(job);
  }
}

void run_cpu(const DequantizeJob& job) {
  switch (job.dtype) {
    case FloatDtype::kFloat32:
      return dequantize<float>(job);
    case FloatDtype::kFloat16:
      return dequantize<Fp16>(job);
    case FloatDtype::kBFloat16:
      return dequantize<Bf16>(job);
  }
}

}  // namespace pinwheel
