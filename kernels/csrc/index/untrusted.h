#pragma once

// Numbers from the contents of tensors, which may be anything.
//
// nvcc 13 compares two numbers by the sign of their difference where the code needs both, even if
// the difference overflows: `end > begin ? end - begin : 0` becomes `max(end - begin, 0)`, which is
// huge for an end near -2^63. So numbers must be in range before one is subtracted from another.

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

/// The length of [begin, end), or -1 if that is no range within [0, limit].
PW_HD int64_t length_within(int64_t begin, int64_t end, int64_t limit) {
  // Negative numbers are above any limit if they are read as unsigned ones.
  const uint64_t first = static_cast<uint64_t>(begin);
  const uint64_t last = static_cast<uint64_t>(end);
  if (first > last || last > static_cast<uint64_t>(limit)) return -1;
  return static_cast<int64_t>(last - first);
}

/// The number in [0, most] that is nearest to `number`.
PW_HD int64_t clamped(int64_t number, int64_t most) {
  return number < 0 ? 0 : number > most ? most : number;
}

/// The sum and the difference of numbers whose exact result may not fit: they wrap around.
PW_HD int64_t wrapping_sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
PW_HD int64_t wrapping_difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace pinwheel
