#pragma once

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

/// The segment that holds position `pos`, where segment s is [offsets[s], offsets[s + 1]) and there
/// are `count` of them (`count` + 1 non-decreasing offsets). Empty segments hold nothing. -1 if no
/// segment holds `pos`. O(log count); never reads out of bounds, whatever the offsets contain.
template <class Index>
PW_HD int64_t segment_of(const Index* offsets, int64_t count, int64_t pos) {
  int64_t low = 0;
  int64_t high = count + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (static_cast<int64_t>(offsets[middle]) <= pos) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const int64_t segment = low - 1;
  return segment >= count ? -1 : segment;
}

}  // namespace pinwheel
