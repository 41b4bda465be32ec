#include "jobs/jagged_elementwise.h"

#include "gpu/device.h"
#include "gpu/row_tiles.h"
#include "units/jagged_elementwise_units.h"

// Roofline: memory. A kept value row is read once, its dense row read once and the result written
// once, 3 * row bytes, and two operations per element: far below the arithmetic peak. Adjacent
// threads access adjacent packs of 16 bytes (one element if rows are not multiples of 16 bytes).
// Blocks take tiles of rows of the result (row_tiles.h). No sum crosses threads: deterministic.

namespace pinwheel {
namespace jagged_elementwise_kernels {

using namespace gpu;

template <Combine how, class Element, int kElements, class Index>
__global__ void to_jagged_kernel(CombineToJaggedJob<Index> job, RowTiles tiles,
                                 int64_t rows_per_group) {
  using Words = Pack<Element, kElements>;
  for_each_tile_word<int64_t>(
      tiles,
      [&](const Tile& tile, int64_t* rows) {
        find_dense_rows(job.jagged, tile, rows_per_group, rows);
      },
      [&](int64_t number, int64_t dense_row, int64_t pack) {
        return packs_of_value<how, Words>(job, number, dense_row, tiles.words, pack);
      },
      [&](int64_t number, const PackPair<Words>& pair) {
        static_cast<Words*>(job.out)[number] = combined<how>(pair);
      });
}

template <Combine how, class Element, int kElements, class Index>
__global__ void to_dense_kernel(CombineToDenseJob<Index> job, RowTiles tiles) {
  using Words = Pack<Element, kElements>;
  for_each_tile_word<int64_t>(
      tiles, [&](const Tile& tile, int64_t* rows) { find_value_rows(job.jagged, tile, rows); },
      [&](int64_t number, int64_t value_row, int64_t pack) {
        return packs_of_dense<how, Words>(job, number, value_row, tiles.words, pack);
      },
      [&](int64_t number, const PackPair<Words>& pair) {
        static_cast<Words*>(job.out)[number] = combined<how>(pair);
      });
}

template <Combine how, class Element, int kElements, class Index>
void launch_packs(const CombineToJaggedJob<Index>& job, void* stream) {
  if (job.jagged.value_rows * job.row_elements == 0) return;
  const RowTiles tiles = row_tiles(job.jagged.value_rows, job.row_elements / kElements);
  launch("jagged_dense_elementwise, jagged", &to_jagged_kernel<how, Element, kElements, Index>,
         blocks_for(tiles.blocks(), 1), static_cast<Stream>(stream), job, tiles,
         dense_rows_per_group(job.jagged));
}

template <Combine how, class Element, int kElements, class Index>
void launch_packs(const CombineToDenseJob<Index>& job, void* stream) {
  if (job.dense_rows * job.row_elements == 0) return;
  const RowTiles tiles = row_tiles(job.dense_rows, job.row_elements / kElements);
  launch("jagged_dense_elementwise, dense", &to_dense_kernel<how, Element, kElements, Index>,
         blocks_for(tiles.blocks(), 1), static_cast<Stream>(stream), job, tiles);
}

template <class Element, class Job>
void launch_elements(const Job& job, int pack, void* stream) {
  constexpr int kElements = static_cast<int>(16 / sizeof(Element));
  const bool add = job.combine == Combine::kAdd;
  if (pack == 1) {
    add ? launch_packs<Combine::kAdd, Element, 1>(job, stream)
        : launch_packs<Combine::kMultiply, Element, 1>(job, stream);
  } else {
    add ? launch_packs<Combine::kAdd, Element, kElements>(job, stream)
        : launch_packs<Combine::kMultiply, Element, kElements>(job, stream);
  }
}

}  // namespace jagged_elementwise_kernels

using namespace jagged_elementwise_kernels;

template <class Index>
void run_gpu(const CombineToJaggedJob<Index>& job, void* stream) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    const int pack =
        pack_elements<Element>(job.row_elements * static_cast<int64_t>(sizeof(Element)),
                               address(job.values), address(job.dense), address(job.out));
    launch_elements<Element>(job, pack, stream);
  });
}

template <class Index>
void run_gpu(const CombineToDenseJob<Index>& job, void* stream) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    const int pack =
        pack_elements<Element>(job.row_elements * static_cast<int64_t>(sizeof(Element)),
                               address(job.values), address(job.other), address(job.out));
    launch_elements<Element>(job, pack, stream);
  });
}

template void run_gpu(const CombineToJaggedJob<int32_t>&, void*);
template void run_gpu(const CombineToJaggedJob<int64_t>&, void*);
template void run_gpu(const CombineToDenseJob<int32_t>&, void*);
template void run_gpu(const CombineToDenseJob<int64_t>&, void*);

}  // namespace pinwheel
