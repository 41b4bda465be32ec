#pragma once

#include <cstdint>

#include "units/word.h"

namespace pinwheel::gpu {

/// Calls `body` with a value of the word type of size `bytes`: 1, 2, 4, 8 or 16.
template <class Body>
void with_word(int64_t bytes, const Body& body) {
  switch (bytes) {
    case 1:
      return body(uint8_t{});
    case 2:
      return body(uint16_t{});
    case 4:
      return body(uint32_t{});
    case 8:
      return body(uint64_t{});
    default:
      return body(Word16{});
  }
}

}  // namespace pinwheel::gpu
