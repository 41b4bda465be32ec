#pragma once

// Four columns of a row, which a thread loads and stores at once if they are aligned.

#include "gpu/device.h"
#include "index/element.h"
#include "units/word.h"

namespace pinwheel::gpu {

/// 4 columns.
struct Quad {
  float n[4];
};

template <class Element>
struct QuadWord {
  using type = uint64_t;
};
template <>
struct QuadWord<float> {
  using type = Word16;
};

/// Loads `count` elements, 1 to 4, the rest 0; as one word if `aligned`, which requires 4.
template <class Element>
__device__ Quad load_quad(const Element* at, int64_t count, bool aligned) {
  Element elements[4] = {};
  if (aligned) {
    const auto word = *reinterpret_cast<const typename QuadWord<Element>::type*>(at);
    memcpy(elements, &word, sizeof(elements));
  } else {
    for (int k = 0; k < 4; ++k) {
      if (k < count) elements[k] = at[k];
    }
  }
  Quad quad;
  for (int k = 0; k < 4; ++k) quad.n[k] = to_float(elements[k]);
  return quad;
}

/// Stores a word at once. nvcc splits a plain store of 16 bytes into four where it knows that the
/// word is aligned.
template <class Word>
__device__ void store_word(Word* at, const Word& word) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Word) == 16) {
    uint4 words;
    memcpy(&words, &word, sizeof(words));
    __stcg(reinterpret_cast<uint4*>(at), words);
    return;
  }
#endif
  *at = word;
}

template <class Element>
__device__ void store_quad(Element* at, const Quad& quad, int64_t count, bool aligned) {
  Element elements[4];
  for (int k = 0; k < 4; ++k) from_float(quad.n[k], elements[k]);
  if (aligned) {
    typename QuadWord<Element>::type word;
    memcpy(&word, elements, sizeof(elements));
    store_word(reinterpret_cast<typename QuadWord<Element>::type*>(at), word);
  } else {
    for (int k = 0; k < 4; ++k) {
      if (k < count) at[k] = elements[k];
    }
  }
}

/// Whether rows of `columns` elements that start at `element`, with a stride of `stride`, can be
/// read 4 at a time.
template <class Element>
__device__ bool in_quads(const Element* from, int64_t element, int64_t stride, int64_t columns) {
  const int64_t odd = (element | stride | columns) % 4;
  return odd == 0 && reinterpret_cast<uintptr_t>(from) % (4 * sizeof(Element)) == 0;
}

}  // namespace pinwheel::gpu
