#include "jobs/jagged.h"

#include "gpu/device.h"
#include "gpu/row_tiles.h"
#include "gpu/with_word.h"
#include "units/jagged_units.h"

// Roofline: memory, each word read and written once. To dense: one thread per word, which reads the
// offsets of its group. To values: a thread would have to search for its group, so blocks take
// tiles of rows (row_tiles.h).

namespace pinwheel {
namespace jagged_kernels {

using namespace gpu;

template <class Word, class Index>
struct ToDense {
  JaggedToDenseJob<Index> job;
  PW_HD void operator()(int64_t i) const { to_dense_unit<Word>(job, i); }
};

template <class Word, class Index>
__global__ void to_jagged_kernel(DenseToJaggedJob<Index> job, RowTiles tiles,
                                 int64_t rows_per_group) {
  for_each_tile_word(
      job.jagged, tiles,
      [&](int64_t, const DensePlace& place, int64_t word) {
        return value_word<Word>(job, dense_row_at(place, rows_per_group), word);
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
    const ToDense<decltype(word), Index> body{job};
    launch_units("jagged_to_padded_dense", body, job.dense_rows * (job.row_bytes / bytes), stream);
  });
}

template <class Index>
void run_gpu(const DenseToJaggedJob<Index>& job, void* stream) {
  const int bytes = word_bytes(job.row_bytes, reinterpret_cast<uintptr_t>(job.values),
                               reinterpret_cast<uintptr_t>(job.dense));
  with_word(bytes, [&](auto word) {
    if (job.jagged.value_rows * job.row_bytes == 0) return;
    const RowTiles tiles = row_tiles(job.jagged.value_rows, 1, job.row_bytes / bytes);
    launch("jagged_to_padded_dense_backward", &to_jagged_kernel<decltype(word), Index>,
           blocks_for(tiles.tiles(), 1), static_cast<Stream>(stream), job, tiles,
           dense_rows_per_group(job.jagged));
  });
}

template void run_gpu(const JaggedToDenseJob<int32_t>&, void*);
template void run_gpu(const JaggedToDenseJob<int64_t>&, void*);
template void run_gpu(const DenseToJaggedJob<int32_t>&, void*);
template void run_gpu(const DenseToJaggedJob<int64_t>&, void*);

}  // namespace pinwheel
