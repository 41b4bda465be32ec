#pragma once
#include <cstdint>
#include <vector>

namespace pinwheel {

/// The bytes of a file from `begin` to before `end`.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;

  bool operator==(const ByteRange&) const = default;
};

/// The ranges in order, with one range for those that overlap or have at most `gap` bytes between
/// them, as each request takes a round trip. Empty ranges are left out.
std::vector<ByteRange> joined_ranges(std::vector<ByteRange> ranges, uint64_t gap);

/// The parts of a file that are present.
class ByteRanges {
 public:
  void add(const ByteRange& range);
  /// An empty range is contained everywhere.
  bool contains(const ByteRange& range) const;
  /// The parts of `range` that are not present, in order.
  std::vector<ByteRange> missing(const ByteRange& range) const;

 private:
  std::vector<ByteRange> ranges_;  ///< in order, none next to another
};

}  // namespace pinwheel
