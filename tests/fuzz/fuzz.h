#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace pinwheel {

/// The input of one run as text.
inline std::string_view text_of(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A property that must hold for every input.
inline void must(bool holds) {
  if (!holds) std::abort();
}

}  // namespace pinwheel

/// libFuzzer calls it with each input.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
