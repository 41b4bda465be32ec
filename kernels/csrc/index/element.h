#pragma once

// 16-bit floating-point formats as raw bits, converted identically on CPUs and GPUs, NaN's payload
// aside (no dependence on the vendors' types, whose operators differ between CUDA and HIP). GPUs
// have an instruction for each conversion, except for to bfloat16 in HIP and before compute 8.0.

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
/// The upper half of an IEEE binary32 (bfloat16).
struct Bf16 {
  uint16_t bits;
};

PW_HD float to_float(float number) {
  return number;
}

PW_HD float to_float(Bf16 number) {
#if defined(__CUDA_ARCH__)
  // The shift would be the same, but nvcc moves shifts up and then runs out of registers.
  float converted = 0;
  asm("mov.b32 %0, {0, %1};" : "=f"(converted) : "h"(number.bits));
  return converted;
#else
  return float_of(static_cast<uint32_t>(number.bits) << 16);
#endif
}

PW_HD float to_float(Fp16 number) {
#if defined(__CUDA_ARCH__)
  float converted = 0;
  asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(number.bits));
  return converted;
#elif defined(__HIP_DEVICE_COMPILE__)
  _Float16 native = 0;
  memcpy(&native, &number.bits, sizeof(native));
  return static_cast<float>(native);
#else
  const uint32_t sign = static_cast<uint32_t>(number.bits & 0x8000u) << 16;
  const uint32_t rest = number.bits & 0x7fffu;
  // Rebiasing the exponent by multiplication is exact and handles subnormals too.
  const uint32_t finite = bits_of(float_of(rest << 13) * float_of(0x77800000u));  // 2^112
  const uint32_t infinite = rest >= 0x7c00u ? 0x7f800000u : 0u;
  return float_of(sign | finite | infinite);
#endif
}

PW_HD void from_float(float number, float& to) {
  to = number;
}

/// Rounds to nearest, ties to even; NaN stays NaN.
PW_HD void from_float(float number, Bf16& to) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(number));
#else
  const uint32_t bits = bits_of(number);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  to.bits = static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
#endif
}

/// Rounds to nearest, ties to even; overflows to infinity, NaN stays NaN.
PW_HD void from_float(float number, Fp16& to) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(number));
#elif defined(__HIP_DEVICE_COMPILE__)
  const _Float16 native = static_cast<_Float16>(number);
  memcpy(&to.bits, &native, sizeof(native));
#else
  const uint32_t bits = bits_of(number);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t rest = bits & 0x7fffffffu;
  // May round up to infinity, as it should.
  const uint32_t normal = (rest - 0x38000000u + 0xfffu + ((rest >> 13) & 1u)) >> 13;
  // Adding 2^-1 aligns the last bit with 2^-24; the addition itself rounds to even.
  const uint32_t small = bits_of(float_of(rest) + 0.5f) - bits_of(0.5f);
  // All cases are computed and one is selected, so that compilers can vectorize this.
  uint32_t half = rest < 0x38800000u ? small : normal;
  half = rest >= 0x47800000u ? 0x7c00u : half;  // 65536 and above
  half = rest > 0x7f800000u ? 0x7e00u : half;
  to.bits = static_cast<uint16_t>(sign | half);
#endif
}

}  // namespace pinwheel
