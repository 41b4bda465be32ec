#pragma once
#include <cstdint>

namespace pinwheel {

/// Where a chunk of a file, at an unknown offset, lies relative to the part being searched for.
struct ChunkPosition {
  enum class Where {
    before,    ///< the chunk ends before the part
    contains,  ///< the part begins in the chunk, at `at`
    after,     ///< the chunk begins after the start of the part
  };
  Where where = Where::before;
  uint64_t at = 0;  ///< offset in the chunk, in bytes
};

}  // namespace pinwheel
