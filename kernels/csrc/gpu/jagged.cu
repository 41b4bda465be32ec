#include "jobs/jagged.h"

#include "gpu/device.h"
#include "gpu/row_tiles.h"
#include "gpu/with_word.h"
#include "units/jagged_units.h"

// Roofline: memory, each word read and written once. A thread would have to divide and to read
// offsets, or to search them, for each word, so blocks take tiles of rows of the destination
// (row_tiles.h).

namespace pinwheel {
namespace jagged_kernels {

using namespace gpu;

template <class Word, class Index>
__global__ void to_dense_kernel(JaggedToDenseJob<Index> job, RowTiles tiles) {
  for_each_tile_word<int64_t>(
      tiles, [&](const Tile& tile, int64_t* rows) { find_value_rows(job.jagged, tile, rows); },
      [&](int64_t number, int64_t value_row, int64_t word) {
        return dense_word<Word>(job, number, value_row, word);
      },
      [&](int64_t number, const Word& word) { static_cast<Word*>(job.dense)[number] = word; });
}

template <class Word, class Index>
__global__ void to_jagged_kernel(DenseToJaggedJob<Index> job, RowTiles tiles,
                                 int64_t rows_per_group) {
  for_each_tile_word<int64_t>(
      tiles,
      [&](const Tile& tile, int64_t* rows) {
        find_dense_rows(job.jagged, tile, rows_per_group, rows);
      },
      [&](int64_t, int64_t dense_row, int64_t word) {
        return value_word<Word>(job, dense_row, word);
      },
      [&](int64_t number, const Word& word) { static_cast<Word*>(job.values)[number] = word; });
}

}  // namespace jagged_kernels

using namespace jagged_kernels;

template <class Index>
void run_gpu(const JaggedToDenseJob<Index>& job, void* stream) {
  const int bytes = word_bytes(job.row_bytes, reinterpret_cast<uintptr_t>(job.values),
                               reinterpret_cast<uintptr_t>(job.dense));
  with_word(bytes, [&](auto word) {
    if (job.dense_rows * job.row_bytes == 0) return;
    const RowTiles tiles = row_tiles(job.dense_rows, job.row_bytes / bytes);
    launch("jagged_to_padded_dense", &to_dense_kernel<decltype(word), Index>,
           blocks_for(tiles.blocks(), 1), static_cast<Stream>(stream), job, tiles);
  });
}

template <class Index>
void run_gpu(const DenseToJaggedJob<Index>& job, void* stream) {
  const int bytes = word_bytes(job.row_bytes, reinterpret_cast<uintptr_t>(job.values),
                               reinterpret_cast<uintptr_t>(job.dense));
  with_word(bytes, [&](auto word) {
    if (job.jagged.value_rows * job.row_bytes == 0) return;
    const RowTiles tiles = row_tiles(job.jagged.value_rows, job.row_bytes / bytes);
    launch("jagged_to_padded_dense_backward", &to_jagged_kernel<decltype(word), Index>,
           blocks_for(tiles.blocks(), 1), static_cast<Stream>(stream), job, tiles,
           dense_rows_per_group(job.jagged));
  });
}

template void run_gpu(const JaggedToDenseJob<int32_t>&, void*);
template void run_gpu(const JaggedToDenseJob<int64_t>&, void*);
template void run_gpu(const DenseToJaggedJob<int32_t>&, void*);
template void run_gpu(const DenseToJaggedJob<int64_t>&, void*);

}  // namespace pinwheel
