#pragma once

// What a GPU thread loads or stores at once: several elements, up to 16 bytes.

#include <cstdint>
#include <cstring>

#include "index/host_device.h"

namespace pinwheel {

template <class Element, int kElements>
struct alignas(sizeof(Element) * kElements) Pack {
  Element at[kElements];
};

/// Loads a pack with one instruction. nvcc may load the elements of `*at` one by one.
template <class Words>
PW_HD Words load_whole(const Words* at) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Words) == 16) {
    const uint4 bits = *reinterpret_cast<const uint4*>(at);
    Words words;
    memcpy(&words, &bits, sizeof(words));
    return words;
  }
#endif
  return *at;
}

/// `at` is aligned to the size of the pack.
template <class Element, int kElements>
PW_HD Pack<Element, kElements> load_pack(const Element* at) {
  return *reinterpret_cast<const Pack<Element, kElements>*>(at);
}

/// The elements of a 16-byte pack if `numbers` (row bytes and addresses) are aligned to it, else 1.
template <class Element, class... Numbers>
int pack_elements(Numbers... numbers) {
  const uint64_t bits = (uint64_t{0} | ... | static_cast<uint64_t>(numbers));
  return bits % 16 == 0 ? static_cast<int>(16 / sizeof(Element)) : 1;
}

inline uint64_t address(const void* at) {
  return reinterpret_cast<uintptr_t>(at);
}

}  // namespace pinwheel
