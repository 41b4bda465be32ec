#include "simd/jagged_softmax.h"

#include "simd/exponential.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// A block that is read and written as one vector: up to kLanes adjacent columns or, for a single
/// column, as many rows.
template <class Element>
PW_SIMD Floats load_block(const Element* at, int64_t count) {
  return count == kLanes ? load(at) : load_part(at, count);
}
template <class Element>
PW_SIMD void store_block(Element* at, Floats v, int64_t count) {
  count == kLanes ? store(at, v) : store_part(at, v, count);
}

/// `count` columns of `rows` rows with a stride of `stride` elements.
template <class Element>
PW_SIMD void softmax_columns(const Element* in, int64_t rows, int64_t stride, int64_t count,
                             Element* out) {
  Floats high = load_block(in, count);
  for (int64_t l = 1; l < rows; ++l) high = most(load_block(in + l * stride, count), high);
  Floats sum = splat(0);
  for (int64_t l = 0; l < rows; ++l) {
    sum = sum + exponential(load_block(in + l * stride, count) - high);
  }
  // Recomputed instead of read back from the result, which may have only 16 bits.
  const Floats factor = splat(1) / sum;
  for (int64_t l = 0; l < rows; ++l) {
    const Floats number = exponential(load_block(in + l * stride, count) - high);
    store_block(out + l * stride, number * factor, count);
  }
}

/// One column, whose rows are contiguous.
template <class Element>
PW_SIMD void softmax_column(const Element* in, int64_t rows, Element* out) {
  float high = to_float(in[0]);
  Floats highs = splat(high);
  int64_t l = 0;
  for (; l + kLanes <= rows; l += kLanes) highs = most(load(in + l), highs);
  float lanes[kLanes];
  store(lanes, highs);
  for (int k = 0; k < kLanes; ++k) high = lanes[k] > high ? lanes[k] : high;
  for (; l < rows; ++l) high = to_float(in[l]) > high ? to_float(in[l]) : high;

  Floats sums = splat(0);
  for (l = 0; l + kLanes <= rows; l += kLanes) {
    sums = sums + exponential(load(in + l) - splat(high));
  }
  store(lanes, exponential(load_part(in + l, rows - l) - splat(high)));
  float sum = sum_of(sums);
  for (int64_t k = 0; k < rows - l; ++k) sum += lanes[k];
  const Floats factor = splat(1) / splat(sum);
  for (l = 0; l < rows; l += kLanes) {
    const int64_t count = rows - l < kLanes ? rows - l : kLanes;
    store_block(out + l, exponential(load_block(in + l, count) - splat(high)) * factor, count);
  }
}

template <class Element>
PW_SIMD void softmax_rows(const Element* in, int64_t rows, int64_t columns, Element* out) {
  if (columns == 1) return softmax_column(in, rows, out);
  for (int64_t c = 0; c < columns; c += kLanes) {
    const int64_t count = columns - c < kLanes ? columns - c : kLanes;
    softmax_columns(in + c, rows, columns, count, out + c);
  }
}

PW_SIMD void softmax_rows(const double* in, int64_t rows, int64_t columns, double* out) {
  for (int64_t c = 0; c < columns; ++c) {
    double high = in[c];
    for (int64_t l = 1; l < rows; ++l) {
      const double number = in[l * columns + c];
      high = number > high ? number : high;
    }
    double sum = 0;
    for (int64_t l = 0; l < rows; ++l) {
      const double number = exponential(in[l * columns + c] - high);
      out[l * columns + c] = number;
      sum += number;
    }
    for (int64_t l = 0; l < rows; ++l) out[l * columns + c] /= sum;
  }
}

template <class Element>
PW_SIMD void gradient_columns(const Element* gradient, const Element* softmax, int64_t rows,
                              int64_t stride, int64_t count, Element* out) {
  Floats sum = splat(0);
  for (int64_t l = 0; l < rows; ++l) {
    const int64_t at = l * stride;
    sum = fma(load_block(gradient + at, count), load_block(softmax + at, count), sum);
  }
  for (int64_t l = 0; l < rows; ++l) {
    const int64_t at = l * stride;
    const Floats difference = load_block(gradient + at, count) - sum;
    store_block(out + at, load_block(softmax + at, count) * difference, count);
  }
}

template <class Element>
PW_SIMD void gradient_column(const Element* gradient, const Element* softmax, int64_t rows,
                             Element* out) {
  Floats sums = splat(0);
  for (int64_t l = 0; l < rows; l += kLanes) {
    const int64_t count = rows - l < kLanes ? rows - l : kLanes;
    sums = fma(load_block(gradient + l, count), load_block(softmax + l, count), sums);
  }
  const Floats sum = splat(sum_of(sums));
  for (int64_t l = 0; l < rows; l += kLanes) {
    const int64_t count = rows - l < kLanes ? rows - l : kLanes;
    const Floats difference = load_block(gradient + l, count) - sum;
    store_block(out + l, load_block(softmax + l, count) * difference, count);
  }
}

template <class Element>
PW_SIMD void gradient_rows(const Element* gradient, const Element* softmax, int64_t rows,
                           int64_t columns, Element* out) {
  if (columns == 1) return gradient_column(gradient, softmax, rows, out);
  for (int64_t c = 0; c < columns; c += kLanes) {
    const int64_t count = columns - c < kLanes ? columns - c : kLanes;
    gradient_columns(gradient + c, softmax + c, rows, columns, count, out + c);
  }
}

PW_SIMD void gradient_rows(const double* gradient, const double* softmax, int64_t rows,
                           int64_t columns, double* out) {
  for (int64_t c = 0; c < columns; ++c) {
    double sum = 0;
    for (int64_t l = 0; l < rows; ++l) sum += gradient[l * columns + c] * softmax[l * columns + c];
    for (int64_t l = 0; l < rows; ++l) {
      out[l * columns + c] = softmax[l * columns + c] * (gradient[l * columns + c] - sum);
    }
  }
}

}  // namespace

void softmax(RealDtype dtype, const void* values, int64_t rows, int64_t columns, void* out) {
  with_real_type(dtype, [&](auto element) {
    using Element = decltype(element);
    softmax_rows(static_cast<const Element*>(values), rows, columns, static_cast<Element*>(out));
  });
}

void softmax_gradient(RealDtype dtype, const void* gradient, const void* softmax, int64_t rows,
                      int64_t columns, void* out) {
  with_real_type(dtype, [&](auto element) {
    using Element = decltype(element);
    gradient_rows(static_cast<const Element*>(gradient), static_cast<const Element*>(softmax), rows,
                  columns, static_cast<Element*>(out));
  });
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
