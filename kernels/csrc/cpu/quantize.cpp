#include "kernels/quantize.h"

#include <type_traits>
#include <vector>

#include "cpu/parallel.h"

namespace pinwheel {
namespace {

struct Bounds {
  float least = 0;
  float most = 0;
};

/// Kept in independent lanes, because the compiler may not reorder comparisons of one running
/// minimum (NaN, signed zeros) and so would not vectorise it.
Bounds bounds_of(const float* row, int64_t columns) {
  constexpr int kLanes = 16;
  if (columns == 0) return {};
  float least[kLanes];
  float most[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) least[lane] = most[lane] = row[0];
  int64_t i = 0;
  for (; i + kLanes <= columns; i += kLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const float number = row[i + lane];
      least[lane] = number < least[lane] ? number : least[lane];
      most[lane] = number > most[lane] ? number : most[lane];
    }
  }
  for (; i < columns; ++i) {
    least[0] = row[i] < least[0] ? row[i] : least[0];
    most[0] = row[i] > most[0] ? row[i] : most[0];
  }
  return {*std::min_element(least, least + kLanes), *std::max_element(most, most + kLanes)};
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
