#include "base/byte_ranges.h"

#include <algorithm>
#include <tuple>

namespace pinwheel {

std::vector<ByteRange> joined_ranges(std::vector<ByteRange> ranges, uint64_t gap) {
  std::erase_if(ranges, [](const ByteRange& each) { return each.begin >= each.end; });
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& left, const ByteRange& right) {
    return std::tie(left.begin, left.end) < std::tie(right.begin, right.end);
  });
  std::vector<ByteRange> out;
  for (const ByteRange& each : ranges) {
    const bool near =
        !out.empty() && (each.begin <= out.back().end || each.begin - out.back().end <= gap);
    if (near) {
      out.back().end = std::max(out.back().end, each.end);
    } else {
      out.push_back(each);
    }
  }
  return out;
}

void ByteRanges::add(const ByteRange& range) {
  ranges_.push_back(range);
  ranges_ = joined_ranges(std::move(ranges_), 0);
}

bool ByteRanges::contains(const ByteRange& range) const {
  return missing(range).empty();
}

std::vector<ByteRange> ByteRanges::missing(const ByteRange& range) const {
  std::vector<ByteRange> out;
  uint64_t at = range.begin;
  for (const ByteRange& each : ranges_) {
    if (each.end <= at) continue;
    if (each.begin >= range.end) break;
    if (each.begin > at) out.push_back({at, each.begin});
    at = each.end;
  }
  if (at < range.end) out.push_back({at, range.end});
  return out;
}

}  // namespace pinwheel
