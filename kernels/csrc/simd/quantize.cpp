#include "simd/quantize.h"

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// Minima and maxima of a row; four accumulators of each, to break the dependency chain.
struct Bounds {
  static constexpr int kVectors = 4;
  Floats low[kVectors];
  Floats high[kVectors];
};

/// Rows are read sequentially, but hardware prefetchers stop at page boundaries. Prefetches
/// `kCount` elements; the address may be past the last row.
template <int kCount, class Element>
PW_SIMD void fetch_ahead(const Element* at) {
  constexpr int64_t kAhead = 4096;
  constexpr int64_t kLine = 64;
  const char* const from = reinterpret_cast<const char*>(at) + kAhead;
  for (int64_t byte = 0; byte < kCount * static_cast<int64_t>(sizeof(Element)); byte += kLine) {
    __builtin_prefetch(from + byte);
  }
}

template <class Element>
PW_SIMD RowCoder coder_of(const Element* row, int64_t columns) {
  constexpr int kVectors = Bounds::kVectors;
  if (columns == 0) return RowCoder(0, 0);
  const float first = to_float(row[0]);
  Bounds bounds;
  for (int v = 0; v < kVectors; ++v) bounds.low[v] = bounds.high[v] = splat(first);
  int64_t i = 0;
  for (; i + kVectors * kLanes <= columns; i += kVectors * kLanes) {
    fetch_ahead<kVectors * kLanes>(row + i);
    for (int v = 0; v < kVectors; ++v) {
      const Floats numbers = load(row + i + v * kLanes);
      bounds.low[v] = least(numbers, bounds.low[v]);
      bounds.high[v] = most(numbers, bounds.high[v]);
    }
  }
  for (; i + kLanes <= columns; i += kLanes) {
    const Floats numbers = load(row + i);
    bounds.low[0] = least(numbers, bounds.low[0]);
    bounds.high[0] = most(numbers, bounds.high[0]);
  }
  for (int v = 1; v < kVectors; ++v) {
    bounds.low[0] = least(bounds.low[v], bounds.low[0]);
    bounds.high[0] = most(bounds.high[v], bounds.high[0]);
  }
  float low = least_of(bounds.low[0]);
  float high = most_of(bounds.high[0]);
  for (; i < columns; ++i) {
    const float number = to_float(row[i]);
    low = number < low ? number : low;
    high = number > high ? number : high;
  }
  return RowCoder(low, high);
}

template <class Element>
PW_SIMD void quantize_row(const Element* row, int64_t columns, const QuantizedLayout& layout,
                          uint8_t* out) {
  const RowCoder coder = coder_of(row, columns);
  uint8_t* const codes = out + layout.codes_at();
  const Floats bias = splat(coder.parameters.bias);
  const Floats inverse = splat(coder.inverse);
  int64_t i = 0;
  for (; i + kLanes <= columns; i += kLanes) {
    const Floats scaled = (load(row + i) - bias) * inverse;
    store_low_bytes(codes + i, scaled + splat(RowCoder::kRounder));
  }
  for (; i < columns; ++i) codes[i] = coder.code(to_float(row[i]));
  for (; i < layout.codes(); ++i) codes[i] = 0;
  write_scale(out, layout, coder.parameters);
}

template <class Element>
PW_SIMD void dequantize_row(const uint8_t* row, const QuantizedLayout& layout, Element* to) {
  const RowScale value = read_scale(row, layout);
  const uint8_t* const codes = row + layout.codes_at();
  const int64_t columns = layout.codes();
  const Floats scale = splat(value.scale);
  const Floats bias = splat(value.bias);
  int64_t i = 0;
  for (; i + kLanes <= columns; i += kLanes) store(to + i, load(codes + i) * scale + bias);
  for (; i < columns; ++i) {
    from_float(static_cast<float>(codes[i]) * value.scale + value.bias, to[i]);
  }
}

}  // namespace

void quantize(const QuantizeJob& job, int64_t first, int64_t last) {
  with_float_type(job.dtype, [&](auto element) {
    const auto* const in = static_cast<const decltype(element)*>(job.in);
    for (int64_t row = first; row < last; ++row) {
      quantize_row(in + row * job.columns, job.columns, job.layout,
                   job.out + row * job.layout.row_bytes);
    }
  });
}

void dequantize(const DequantizeJob& job, int64_t first, int64_t last) {
  with_float_type(job.dtype, [&](auto element) {
    auto* const out = static_cast<decltype(element)*>(job.out);
    for (int64_t row = first; row < last; ++row) {
      dequantize_row(job.in + row * job.layout.row_bytes, job.layout,
                     out + row * job.layout.codes());
    }
  });
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
