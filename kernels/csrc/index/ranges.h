#pragma once

#include <cstdint>

#include "index/host_device.h"
#include "index/untrusted.h"

namespace pinwheel {

/// The last of `count` non-decreasing starts that is at most `pos`; -1 if the first one is above
/// it. O(log count); never reads out of bounds, whatever the starts contain.
template <class Index>
PW_HD int64_t last_start_at(const Index* starts, int64_t count, int64_t pos) {
  int64_t low = 0;
  int64_t high = count;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (static_cast<int64_t>(starts[middle]) <= pos) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/// Positions [begin, end) of an array of `size` elements that segment `s` of `offsets`, counted in
/// units of `unit` elements, covers; empty if the offsets are out of range.
struct Span {
  int64_t begin = 0;
  int64_t end = 0;
};
template <class Index>
PW_HD Span span_of(const Index* offsets, int64_t s, int64_t unit, int64_t size) {
  const int64_t units = unit > 0 ? size / unit : 0;
  const int64_t begin = offsets[s];
  const int64_t end = offsets[s + 1];
  if (length_within(begin, end, units) <= 0) return Span{};
  return Span{begin * unit, end * unit};
}

}  // namespace pinwheel
