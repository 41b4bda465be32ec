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
    const int bits = bits_of(divisor - 1);
    const uint64_t power = bits == 64 ? 0 : uint64_t{1} << bits;
    const uint64_t quotient = scaled_quotient(power - divisor, divisor);
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

 private:
  /// How many bits `number` has without leading zeros.
  PW_HD static int bits_of(uint64_t number) {
#if defined(__CUDA_ARCH__)
    return 64 - __clzll(static_cast<long long>(number));
#else
    return number == 0 ? 0 : 64 - __builtin_clzll(number);
#endif
  }

  /// 2^64 * rest / by, for rest < by. GPUs cannot divide 128 bits by 64: it takes two divisions of
  /// 64 bits if `by` fits into 32 bits, and otherwise proceeds bit by bit.
  PW_HD static uint64_t scaled_quotient(uint64_t rest, uint64_t by) {
    if (by >> 32 == 0) {
      const uint64_t high = (rest << 32) / by;
      const uint64_t left = (rest << 32) - high * by;
      return high << 32 | (left << 32) / by;
    }
    uint64_t quotient = 0;
    for (int bit = 0; bit < 64; ++bit) {
      const bool carry = (rest >> 63) != 0;
      rest <<= 1;
      quotient <<= 1;
      if (carry || rest >= by) {
        rest -= by;
        quotient |= 1;
      }
    }
    return quotient;
  }
};

}  // namespace pinwheel
