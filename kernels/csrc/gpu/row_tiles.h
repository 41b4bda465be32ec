#pragma once

// Blocks that take tiles of consecutive value rows of a jagged tensor. One thread looks up where a
// row is in the dense form, for all words of the row; then the block moves the words of the tile,
// several per thread in flight.

#include "gpu/device.h"
#include "gpu/tile_search.h"
#include "index/jagged.h"
#include "index/split.h"

namespace pinwheel::gpu {

constexpr int kMostTileRows = 1024;
/// Words that a thread loads before it stores the first of them.
constexpr int kWordsAtOnce = 4;

/// Value rows cut into `heads` of `words` words, and how many heads make a tile.
struct RowTiles {
  int64_t count = 0;  ///< of heads in all value rows
  int64_t heads = 1;  ///< per value row
  int64_t words = 1;
  int size = 1;  ///< heads per tile

  PW_HD int64_t tiles() const { return (count + size - 1) / size; }
};

/// Tiles with several words for each thread, but enough of them for all multiprocessors.
inline RowTiles row_tiles(int64_t value_rows, int64_t heads, int64_t words) {
  constexpr int64_t kTilesWanted = 1024;
  RowTiles tiles;
  tiles.count = value_rows * heads;
  tiles.heads = heads;
  tiles.words = words;
  const int64_t words_of_tile = std::clamp<int64_t>(tiles.count / kTilesWanted * words,
                                                    2 * kThreads, 2 * kWordsAtOnce * kThreads);
  tiles.size = static_cast<int>(std::clamp<int64_t>(words_of_tile / words, 1, kMostTileRows));
  return tiles;
}

/// Goes through the words of a tile, head by head, in steps of a block.
struct TileWord {
  int64_t words;  ///< per head
  int64_t word;   ///< within its head
  int head;
  int64_t word_step;
  int head_step;

  __device__ explicit TileWord(int64_t words_in) : words(words_in) {
    const Split at = split(threadIdx.x, words);
    const Split step = split(kThreads, words);
    word = at.rest;
    head = static_cast<int>(at.quotient);
    word_step = step.rest;
    head_step = static_cast<int>(step.quotient);
  }
  __device__ void advance() {
    head += head_step;
    word += word_step;
    if (word < words) return;
    word -= words;
    ++head;
  }
};

/// The places of the heads [first, first + count) in the dense form, whose groups are cut into
/// heads too. All threads of the block must call it.
template <class Index>
__device__ void find_places(const JaggedView<Index>& jagged, const RowTiles& tiles, int64_t first,
                            int count, DensePlace* places) {
  TileSpan span;
  if (jagged.depth == 1) {
    const int64_t last_row = split(first + count - 1, tiles.heads).quotient;
    span = span_of_tile(jagged.offsets[0], jagged.groups[0] + 1, split(first, tiles.heads).quotient,
                        last_row);
  }
  __syncthreads();  // other threads may still read the last tile's places
  for (int k = static_cast<int>(threadIdx.x); k < count; k += kThreads) {
    const Split at = split(first + k, tiles.heads);
    DensePlace place =
        jagged.depth == 1
            ? dense_place_in(jagged, span.last_not_above(jagged.offsets[0], at.quotient),
                             at.quotient)
            : dense_place_of(jagged, at.quotient);
    if (place.group >= 0) place.group = place.group * tiles.heads + at.rest;
    places[k] = place;
  }
  __syncthreads();
}

/// For each word of each head, calls `load(number, place, word)` with the number of the word of the
/// values, and then `store(number, what it returned)`.
template <class Index, class Load, class Store>
__device__ void for_each_tile_word(const JaggedView<Index>& jagged, const RowTiles& tiles,
                                   const Load& load, const Store& store) {
  using Loaded = decltype(load(int64_t{0}, DensePlace{}, int64_t{0}));
  __shared__ DensePlace places[kMostTileRows];
  for (int64_t tile = blockIdx.x; tile < tiles.tiles(); tile += gridDim.x) {
    const int64_t first = tile * tiles.size;
    const int64_t left = tiles.count - first;
    const int count = left < tiles.size ? static_cast<int>(left) : tiles.size;
    find_places(jagged, tiles, first, count, places);
    int64_t number = first * tiles.words + threadIdx.x;
    for (TileWord at(tiles.words); at.head < count; number += kWordsAtOnce * kThreads) {
      Loaded loaded[kWordsAtOnce] = {};
      int inside = 0;
      PW_UNROLL
      for (int k = 0; k < kWordsAtOnce; ++k, at.advance()) {
        if (at.head >= count) continue;
        loaded[k] = load(number + k * kThreads, places[at.head], at.word);
        ++inside;
      }
      PW_UNROLL
      for (int k = 0; k < kWordsAtOnce; ++k) {
        if (k < inside) store(number + k * kThreads, loaded[k]);
      }
    }
  }
}

}  // namespace pinwheel::gpu
