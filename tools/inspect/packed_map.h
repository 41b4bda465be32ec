#pragma once
#include <cstdint>
#include <vector>

namespace pinwheel::inspect {

/// Maps offsets in a member's contents to compressed bytes consumed, which gives the compressed
/// size of any part of it.
struct PackedMap {
  uint64_t size = 0;  ///< size of the contents
  uint64_t step = 1;  ///< bytes of contents between two entries
  std::vector<uint64_t> consumed = {
      0};  ///< compressed bytes after 0, 1, 2, ... steps, then at the end

  /// The compressed size of a range, interpolated within a step.
  uint64_t packed(uint64_t offset, uint64_t length) const;
};

}  // namespace pinwheel::inspect
