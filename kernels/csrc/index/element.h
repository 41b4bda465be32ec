#pragma once

// 16-bit floating-point numbers as their bits, converted the same way on the CPU and on a GPU (no
// dependence on the vendors' types, whose operators differ between CUDA and HIP).

#include <cstdint>
#include <cstring>

#include "index/host_device.h"

namespace pinwheel {

PW_HD uint32_t bits_of(float number) {
  uint32_t bits = 0;
  memcpy(&bits, &number, sizeof(bits));
  return bits;
}

PW_HD float float_of(uint32_t bits) {
  float number = 0;
  memcpy(&number, &bits, sizeof(number));
  return number;
}

/// IEEE binary16.
struct Fp16 {
  uint16_t bits;
};
/// The upper half of an IEEE binary32.
struct Bf16 {
  uint16_t bits;
};

PW_HD float to_float(float number) {
  return number;
}

PW_HD float to_float(Bf16 number) {
  return float_of(static_cast<uint32_t>(number.bits) << 16);
}

PW_HD float to_float(Fp16 number) {
  const uint32_t sign = static_cast<uint32_t>(number.bits & 0x8000u) << 16;
  const uint32_t rest = number.bits & 0x7fffu;
  if (rest >= 0x7c00u) return float_of(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  // Moving the exponent's bias by a multiplication handles subnormal numbers as well; it is exact.
  const float magnitude = float_of(rest << 13) * float_of(0x77800000u);  // 2^112
  return float_of(sign | bits_of(magnitude));
}

PW_HD void from_float(float number, float& to) {
  to = number;
}

/// Rounds to the nearest, ties to even; NaN stays NaN.
PW_HD void from_float(float number, Bf16& to) {
  const uint32_t bits = bits_of(number);
  if ((bits & 0x7fffffffu) > 0x7f800000u) {
    to.bits = 0x7fc0u;
    return;
  }
  to.bits = static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// Rounds to the nearest, ties to even; too large becomes infinite, NaN stays NaN.
PW_HD void from_float(float number, Fp16& to) {
  const uint32_t bits = bits_of(number);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t rest = bits & 0x7fffffffu;
  uint32_t half = 0;
  if (rest > 0x7f800000u) {
    half = 0x7e00u;
  } else if (rest >= 0x47800000u) {  // 65536 and above
    half = 0x7c00u;
  } else if (rest >= 0x38800000u) {  // normal: may round up into infinity
    half = (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
  } else {
    // Adding 2^-1 aligns the last bit with 2^-24; the addition rounds to even.
    half = bits_of(float_of(rest) + 0.5f) - bits_of(0.5f);
  }
  to.bits = static_cast<uint16_t>(sign | half);
}

}  // namespace pinwheel
