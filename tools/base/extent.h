#pragma once
#include <cstdint>

namespace pinwheel {

/// Bytes from `from` up to, not including, `to`.
struct Extent {
  uint64_t from = 0;
  uint64_t to = 0;

  bool operator==(const Extent&) const = default;
};

}  // namespace pinwheel
