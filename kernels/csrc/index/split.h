#pragma once

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

struct Split {
  int64_t quotient;
  int64_t rest;
};

/// i / by and i % by of non-negative numbers. GPUs divide 64-bit numbers in a hundred instructions,
/// 32-bit ones in about fifteen.
PW_HD Split split(int64_t i, int64_t by) {
  if ((static_cast<uint64_t>(i | by) >> 32) == 0) {
    const uint32_t quotient = static_cast<uint32_t>(i) / static_cast<uint32_t>(by);
    return {quotient, static_cast<uint32_t>(i) - quotient * static_cast<uint32_t>(by)};
  }
  const int64_t quotient = i / by;
  return {quotient, i - quotient * by};
}

}  // namespace pinwheel
