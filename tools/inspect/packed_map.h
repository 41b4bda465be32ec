#pragma once
#include <cstdint>
#include <vector>

namespace pinwheel::inspect {

/// How many compressed bytes the archive had spent when so much of a member had come out of them:
/// what tells how much a part of it takes in the archive.
struct PackedMap {
  uint64_t size = 0;  ///< of the contents
  uint64_t step = 1;  ///< bytes of contents between two entries
  std::vector<uint64_t> consumed = {
      0};  ///< compressed bytes after 0, 1, 2, ... steps, then at the end

  /// The compressed bytes behind a range, interpolated within a step.
  uint64_t packed(uint64_t offset, uint64_t length) const;
};

}  // namespace pinwheel::inspect
