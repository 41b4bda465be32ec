#pragma once

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {

/// e to the power of each lane, to about one unit in the last place; 0 below -104, infinite above
/// 89, NaN for NaN.
PW_SIMD Floats exponential(Floats x) {
  typedef int32_t Ints __attribute__((vector_size(sizeof(Floats))));
  // Adding x to 1.5 * 2^23 leaves the integer nearest to x in the low bits of the sum.
  const Floats rounder = splat(12582912.0f);
  const Floats bounded = most(splat(-104.0f), least(splat(89.0f), x));
  const Floats shifted = fma(bounded, splat(1.44269504f), rounder);
  const Floats n = shifted - rounder;
  // ln 2 in two parts, the first short enough for its product with n to be exact.
  const Floats rest = fma(n, splat(2.12194440e-4f), fma(n, splat(-0.693359375f), bounded));
  // |rest| <= ln(2) / 2: the terms from the eighth power on are below half an ulp.
  Floats sum = splat(1.0f / 5040);
  sum = fma(sum, rest, splat(1.0f / 720));
  sum = fma(sum, rest, splat(1.0f / 120));
  sum = fma(sum, rest, splat(1.0f / 24));
  sum = fma(sum, rest, splat(1.0f / 6));
  sum = fma(sum, rest, splat(0.5f));
  sum = fma(sum, rest, splat(1.0f));
  sum = fma(sum, rest, splat(1.0f));
  // 2^n as two factors, so that neither exceeds the exponent range.
  Ints power;
  memcpy(&power, &shifted, sizeof(power));
  power -= 0x4b400000;
  const Ints half = power >> 1;
  const Ints low_bits = (half + 127) << 23;
  const Ints high_bits = (power - half + 127) << 23;
  Floats low;
  Floats high;
  memcpy(&low, &low_bits, sizeof(low));
  memcpy(&high, &high_bits, sizeof(high));
  return sum * low * high;
}

/// The same for one double, to about one unit in the last place. libm's exp has a symbol version
/// that older systems lack.
PW_SIMD double exponential(double x) {
  const double bounded = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
  const double rounder = 6755399441055744.0;  // 1.5 * 2^52
  const double shifted = bounded * 1.4426950408889634 + rounder;
  const double n = shifted - rounder;
  const double rest = (bounded - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  double sum = 1.0;
  for (int power = 13; power > 0; --power) sum = sum * rest * (1.0 / power) + 1.0;
  uint64_t bits;
  memcpy(&bits, &shifted, sizeof(bits));
  const int64_t power = static_cast<int64_t>(bits - 0x4338000000000000u);
  const int64_t half = power >> 1;
  const uint64_t low_bits = static_cast<uint64_t>(half + 1023) << 52;
  const uint64_t high_bits = static_cast<uint64_t>(power - half + 1023) << 52;
  double low;
  double high;
  memcpy(&low, &low_bits, sizeof(low));
  memcpy(&high, &high_bits, sizeof(high));
  return sum * low * high;
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
