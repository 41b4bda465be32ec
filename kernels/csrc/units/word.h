#pragma once

#include <cstdint>

namespace pinwheel {

/// 16 bytes that one thread moves at once.
struct alignas(16) Word16 {
  uint64_t low = 0;
  uint64_t high = 0;
};

/// The size of the widest word, 1, 2, 4, 8 or 16 bytes, that divides all of `numbers` (row bytes
/// and addresses).
template <class... Numbers>
int word_bytes(Numbers... numbers) {
  const uint64_t bits = (uint64_t{16} | ... | static_cast<uint64_t>(numbers));
  return static_cast<int>(bits & (~bits + 1));
}

}  // namespace pinwheel
