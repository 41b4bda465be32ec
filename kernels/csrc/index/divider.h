#pragma once

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

/// Divides by an invariant divisor with a multiplication and shifts instead of a division (Granlund
/// and Montgomery's method). Exact for every dividend.
struct Divider {
  uint64_t divisor = 1;
  uint64_t factor = 1;
  int first_shift = 0;
  int second_shift = 0;

  Divider() = default;

  /// `divisor_in` is at least 1.
  PW_HD explicit Divider(uint64_t divisor_in) : divisor(divisor_in) {
    int bits = 0;
    while (bits < 64 && (uint64_t{1} << bits) < divisor) ++bits;
    // 2^64 * (2^bits - divisor) / divisor, one bit at a time: GPUs have no 128-by-64-bit division.
    const uint64_t power = bits == 64 ? 0 : uint64_t{1} << bits;
    uint64_t rest = power - divisor;
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const bool carry = (rest >> 63) != 0;
      rest <<= 1;
      quotient <<= 1;
      if (carry || rest >= divisor) {
        rest -= divisor;
        quotient |= 1;
      }
    }
    factor = quotient + 1;
    first_shift = bits < 1 ? bits : 1;
    second_shift = bits > 0 ? bits - 1 : 0;
  }

  PW_HD uint64_t quotient(uint64_t number) const {
#if defined(__CUDA_ARCH__)
    const uint64_t high = __umul64hi(factor, number);
#else
    using Wide = unsigned __int128;
    const uint64_t high = static_cast<uint64_t>((static_cast<Wide>(factor) * number) >> 64);
#endif
    return (high + ((number - high) >> first_shift)) >> second_shift;
  }

  PW_HD uint64_t remainder(uint64_t number) const {
    return number - quotient(number) * divisor;
  }
};

}  // namespace pinwheel
