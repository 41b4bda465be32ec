#include "simd/jagged_vector.h"

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

constexpr int kVectors = 4;

/// The next `count` elements; other lanes are unspecified. Reads a whole vector if the tensor's
/// memory extends that far.
template <class Element>
PW_SIMD Floats load_some(const Element* at, int64_t count, const Element* end) {
  return end - at >= kLanes ? load(at) : load_part(at, count);
}

template <class Element>
PW_SIMD void sum_columns(const Element* weights, const StridedRows& rows, Element* out) {
  const Element* const first = static_cast<const Element*>(rows.at);
  const Element* const end = static_cast<const Element*>(rows.end);
  int64_t c = 0;
  for (; c + kVectors * kLanes <= rows.columns; c += kVectors * kLanes) {
    Floats sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = splat(0);
    for (int64_t l = 0; l < rows.rows; ++l) {
      const Element* const row = first + l * rows.stride + c;
      const Floats weight = splat(to_float(weights[l]));
      for (int v = 0; v < kVectors; ++v) sums[v] = fma(weight, load(row + v * kLanes), sums[v]);
    }
    for (int v = 0; v < kVectors; ++v) store(out + c + v * kLanes, sums[v]);
  }
  for (; c < rows.columns; c += kLanes) {
    const int64_t count = rows.columns - c < kLanes ? rows.columns - c : kLanes;
    Floats sum = splat(0);
    for (int64_t l = 0; l < rows.rows; ++l) {
      const Floats numbers = load_some(first + l * rows.stride + c, count, end);
      sum = fma(splat(to_float(weights[l])), numbers, sum);
    }
    store_part(out + c, sum, count);
  }
}

PW_SIMD void sum_columns(const double* weights, const StridedRows& rows, double* out) {
  const double* const first = static_cast<const double*>(rows.at);
  for (int64_t c = 0; c < rows.columns; ++c) out[c] = 0;
  for (int64_t l = 0; l < rows.rows; ++l) {
    const double* const row = first + l * rows.stride;
    for (int64_t c = 0; c < rows.columns; ++c) out[c] += weights[l] * row[c];
  }
}

template <class Element>
PW_SIMD Wide<Element> dot(const Element* a, const Element* b, int64_t count) {
  Floats sums[2] = {splat(0), splat(0)};
  int64_t c = 0;
  for (; c + 2 * kLanes <= count; c += 2 * kLanes) {
    sums[0] = fma(load(a + c), load(b + c), sums[0]);
    sums[1] = fma(load(a + c + kLanes), load(b + c + kLanes), sums[1]);
  }
  for (; c + kLanes <= count; c += kLanes) sums[0] = fma(load(a + c), load(b + c), sums[0]);
  if (c < count) sums[1] = fma(load_part(a + c, count - c), load_part(b + c, count - c), sums[1]);
  return sum_of(sums[0] + sums[1]);
}

PW_SIMD double dot(const double* a, const double* b, int64_t count) {
  double sums[4] = {};
  int64_t c = 0;
  for (; c + 4 <= count; c += 4) {
    for (int k = 0; k < 4; ++k) sums[k] += a[c + k] * b[c + k];
  }
  for (; c < count; ++c) sums[0] += a[c] * b[c];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class Element>
PW_SIMD void scale(Element weight, const Element* vector, int64_t count, Element* out) {
  const Floats weights = splat(to_float(weight));
  int64_t c = 0;
  for (; c + kLanes <= count; c += kLanes) store(out + c, weights * load(vector + c));
  if (c < count) store_part(out + c, weights * load_part(vector + c, count - c), count - c);
}

PW_SIMD void scale(double weight, const double* vector, int64_t count, double* out) {
  for (int64_t c = 0; c < count; ++c) out[c] = weight * vector[c];
}

}  // namespace

void weighted_sum(RealDtype dtype, const void* weights, const StridedRows& rows, void* out) {
  with_real_type(dtype, [&](auto element) {
    using Element = decltype(element);
    sum_columns(static_cast<const Element*>(weights), rows, static_cast<Element*>(out));
  });
}

void dot_products(RealDtype dtype, const void* vector, const StridedRows& rows, void* out) {
  with_real_type(dtype, [&](auto element) {
    using Element = decltype(element);
    const Element* const first = static_cast<const Element*>(rows.at);
    for (int64_t l = 0; l < rows.rows; ++l) {
      from_float(dot(static_cast<const Element*>(vector), first + l * rows.stride, rows.columns),
                 static_cast<Element*>(out)[l]);
    }
  });
}

void outer_products(RealDtype dtype, const void* weights, int64_t weight_stride,
                    const void* vectors, int64_t rows, int64_t heads, int64_t columns, void* out) {
  with_real_type(dtype, [&](auto element) {
    using Element = decltype(element);
    const Element* const weight = static_cast<const Element*>(weights);
    const Element* const vector = static_cast<const Element*>(vectors);
    Element* to = static_cast<Element*>(out);
    for (int64_t l = 0; l < rows; ++l) {
      for (int64_t h = 0; h < heads; ++h, to += columns) {
        scale(weight[h * weight_stride + l], vector + h * columns, columns, to);
      }
    }
  });
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
