#pragma once

// What a GPU thread reads and writes at once: several elements, up to 16 bytes.

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

template <class Element, int kElements>
struct alignas(sizeof(Element) * kElements) Pack {
  Element at[kElements];
};

/// Elements of a pack of 16 bytes when `numbers` (row bytes and addresses) allow it, else 1.
template <class Element, class... Numbers>
int pack_elements(Numbers... numbers) {
  const uint64_t bits = (uint64_t{0} | ... | static_cast<uint64_t>(numbers));
  return bits % 16 == 0 ? static_cast<int>(16 / sizeof(Element)) : 1;
}

inline uint64_t address(const void* at) {
  return reinterpret_cast<uintptr_t>(at);
}

}  // namespace pinwheel
