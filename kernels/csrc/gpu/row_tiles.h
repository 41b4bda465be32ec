#pragma once

// Blocks that take tiles of consecutive rows of a jagged tensor or of its dense form. One thread
// looks up where a row is in the other form, for all words of the row; then the block moves the
// words of the tile, several per thread in flight. If there are only a few rows, which are long,
// several blocks share a tile.

#include "gpu/device.h"
#include "gpu/tile_search.h"
#include "index/jagged.h"
#include "index/split.h"

namespace pinwheel::gpu {

constexpr int kMostTileRows = 1024;
/// Words that a thread loads before it stores the first of them.
constexpr int kWordsAtOnce = 4;

/// `count` rows of `words` words, and how many rows make a tile. Blocks share only tiles of one
/// row.
struct RowTiles {
  int64_t count = 0;
  int64_t words = 1;
  int size = 1;
  int share_bits = 0;     ///< blocks per tile, as a power of 2
  int64_t share = 1;      ///< words of a row that one of them takes
  int row_step = 0;       ///< from the word of a thread to its next one
  int64_t word_step = 0;  ///< the rest of that step, less than a row

  PW_HD int64_t blocks() const { return (count + size - 1) / size << share_bits; }
};

/// Tiles with several words for each thread, but enough blocks for all multiprocessors.
inline RowTiles row_tiles(int64_t rows, int64_t words) {
  constexpr int64_t kBlocksWanted = 1024;
  constexpr int64_t kWordsEach = 2 * kWordsAtOnce * kThreads;
  RowTiles tiles;
  tiles.count = rows;
  tiles.words = words;
  const int64_t words_of_tile =
      std::clamp<int64_t>(rows / kBlocksWanted * words, 2 * kThreads, kWordsEach);
  tiles.size = static_cast<int>(std::clamp<int64_t>(words_of_tile / words, 1, kMostTileRows));
  while (tiles.blocks() < kBlocksWanted && words >> tiles.share_bits >= 2 * kWordsEach) {
    ++tiles.share_bits;
  }
  const int64_t shares = int64_t{1} << tiles.share_bits;
  tiles.share = (words + shares - 1) / shares;
  tiles.row_step = static_cast<int>(kThreads / words);
  tiles.word_step = kThreads % words;
  return tiles;
}

/// Goes through the words [begin, end) of each row of a tile, row by row, in steps of a block.
struct TileWord {
  int64_t word;  ///< within its row
  int64_t end;
  int row;

  __device__ TileWord(const RowTiles& tiles, int64_t begin, int64_t end_in) : end(end_in) {
    const Split at = split(begin + threadIdx.x, tiles.words);
    word = at.rest;
    row = static_cast<int>(at.quotient);
  }
  __device__ void advance(const RowTiles& tiles) {
    row += tiles.row_step;
    word += tiles.word_step;
    if (word < end) return;
    word -= tiles.words;
    ++row;
  }
};

/// Rows [first, first + count).
struct Tile {
  int64_t first;
  int count;
};

/// Finds the places of the value rows [first, last] in the dense form. All threads of the block
/// must construct it.
template <class Index>
struct PlaceFinder {
  const JaggedView<Index>& jagged;
  TileSpan span;

  __device__ PlaceFinder(const JaggedView<Index>& jagged_in, int64_t first, int64_t last)
      : jagged(jagged_in) {
    if (jagged.depth != 1) return;
    span = span_of_tile(jagged.offsets[0], jagged.groups[0] + 1, first, last);
  }
  __device__ DensePlace of(int64_t row) const {
    if (jagged.depth != 1) return dense_place_of(jagged, row);
    return dense_place_in(jagged, span.last_not_above(jagged.offsets[0], row), row);
  }
};

/// The dense rows of the value rows of a tile; -1 for none. All threads of the block must call it.
template <class Index>
__device__ void find_dense_rows(const JaggedView<Index>& jagged, const Tile& tile,
                                int64_t rows_per_group, int64_t* rows) {
  const PlaceFinder<Index> finder(jagged, tile.first, tile.first + tile.count - 1);
  for (int k = static_cast<int>(threadIdx.x); k < tile.count; k += kThreads) {
    rows[k] = dense_row_at(finder.of(tile.first + k), rows_per_group);
  }
}

/// The value rows of the dense rows of a tile; -1 for padding.
template <class Index>
__device__ void find_value_rows(const JaggedView<Index>& jagged, const Tile& tile, int64_t* rows) {
  for (int k = static_cast<int>(threadIdx.x); k < tile.count; k += kThreads) {
    rows[k] = value_row_of(jagged, tile.first + k);
  }
}

/// Calls `find(tile, places)` with all threads of the block; it sets the places of the tile's rows.
/// Then calls `load(number, place, word)` for each word `word` of each row, and `store(number,
/// loaded)` with its result. `number` counts the words of the tiled form from its start. Loads stay
/// in flight together only if `load` does not use what it loads.
template <class Place, class Find, class Load, class Store>
__device__ void for_each_tile_word(const RowTiles& tiles, const Find& find, const Load& load,
                                   const Store& store) {
  using Loaded = decltype(load(int64_t{0}, Place{}, int64_t{0}));
  __shared__ Place places[kMostTileRows];
  for (int64_t block = blockIdx.x; block < tiles.blocks(); block += gridDim.x) {
    const int64_t t = block >> tiles.share_bits;
    Tile tile{t * tiles.size, tiles.size};
    if (tiles.count - tile.first < tile.count) {
      tile.count = static_cast<int>(tiles.count - tile.first);
    }
    __syncthreads();  // other threads may still read the last tile's places
    find(tile, places);
    __syncthreads();
    const int64_t begin = (block - (t << tiles.share_bits)) * tiles.share;
    const int64_t end = tiles.words - begin < tiles.share ? tiles.words : begin + tiles.share;
    int64_t number = tile.first * tiles.words + begin + threadIdx.x;
    for (TileWord at(tiles, begin, end); at.row < tile.count; number += kWordsAtOnce * kThreads) {
      Loaded loaded[kWordsAtOnce] = {};
      int inside = 0;
      PW_UNROLL
      for (int k = 0; k < kWordsAtOnce; ++k, at.advance(tiles)) {
        if (at.row >= tile.count) continue;
        loaded[k] = load(number + k * kThreads, places[at.row], at.word);
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
