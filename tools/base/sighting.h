#pragma once
#include <cstdint>

namespace pinwheel {

/// Where a stretch of a file, whose offset is not known, lies from a part of it that is looked for.
struct Sighting {
  enum class Where {
    before,    ///< the stretch ends in front of the part
    reaching,  ///< the part begins in it, at `at`
    behind,    ///< the stretch ends behind it
  };
  Where where = Where::before;
  uint64_t at = 0;  ///< bytes from the beginning of the stretch
};

}  // namespace pinwheel
