#include "simd/jagged_elementwise.h"

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

template <Combine how, class Number>
PW_SIMD Number combined(Number a, Number b) {
  return how == Combine::kAdd ? a + b : a * b;
}

template <Combine how, class Element>
PW_SIMD void combine_elements(const Element* a, const Element* b, Element* out, int64_t count) {
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    store(out + i, combined<how>(load(a + i), load(b + i)));
  }
  for (; i < count; ++i) from_float(combined<how>(to_float(a[i]), to_float(b[i])), out[i]);
}

template <Combine how>
PW_SIMD void combine_elements(const double* a, const double* b, double* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) out[i] = combined<how>(a[i], b[i]);
}

}  // namespace

void combine(RealDtype dtype, Combine how, const void* a, const void* b, void* out, int64_t count) {
  with_real_type(dtype, [&](auto element) {
    using Element = decltype(element);
    const Element* const first = static_cast<const Element*>(a);
    const Element* const second = static_cast<const Element*>(b);
    Element* const to = static_cast<Element*>(out);
    if (how == Combine::kAdd) {
      combine_elements<Combine::kAdd>(first, second, to, count);
    } else {
      combine_elements<Combine::kMultiply>(first, second, to, count);
    }
  });
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
