#include "jobs/jagged_vector.h"

#include "gpu/device.h"
#include "gpu/row_tiles.h"
#include "units/jagged_vector_units.h"

// Roofline: memory. Each value row is read once in the forward pass and once for the weights'
// gradient, and its gradient is written once; two operations per element. The small tensors, [B *
// heads, columns] and [B * heads, max_L], stay in the caches. Forward: a thread walks down the rows
// of a group with a pack of 16 bytes of the result, 4 loads in flight; if there are too few packs
// for several rounds of blocks on all multiprocessors, several lanes share the rows. The weights'
// gradient: a group of 32 lanes per vector, several value rows at a time; a row gets so few lanes
// that each has several packs, because every doubling of the lanes costs a shuffle. The values'
// gradient: tiles of rows. Sums that cross lanes are added in a fixed order: all are deterministic.

namespace pinwheel {
namespace jagged_vector_kernels {

using namespace gpu;

/// Lanes that share the rows of a pack: a power of two, up to a group. As many as leave each lane
/// one row if there are too few threads to fill a GPU, and 4 rows if there are only too few rounds
/// of blocks to even out groups of unequal length.
template <class Index>
int parts_for(const JaggedVectorShape<Index>& shape, int64_t packs) {
  constexpr int64_t kThreadsWanted = 1 << 19;
  constexpr int64_t kThreadsInRounds = 1 << 21;
  constexpr int64_t kRowsEach = 4;
  constexpr int64_t kFewThreads = 1 << 17;
  constexpr int kPacksAtOnce = 4;  // adjacent, 64 bytes: fewer would waste part of each access
  const int64_t groups = std::max<int64_t>(1, shape.jagged.groups[0]);
  const int64_t rows = shape.jagged.value_rows / groups;
  constexpr int kMost = kLanes / kPacksAtOnce;
  const bool all = packs / groups < kPacksAtOnce || packs * kMost < kFewThreads;
  const int most = all ? kLanes : kMost;
  int parts = 1;
  while (parts < most && ((packs * parts < kThreadsWanted && 2 * parts <= rows) ||
                          (packs * parts < kThreadsInRounds && 2 * kRowsEach * parts <= rows))) {
    parts *= 2;
  }
  return parts;
}

template <class Element, int kElements, class Index>
__global__ void times_jagged_kernel(VectorTimesJaggedJob<Index> job, int64_t packs, int parts) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int at_once = kLanes / parts;
  const int64_t packs_of_head = job.shape.columns / kElements;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kGroups * at_once;
  for (int64_t first = group * at_once; first < packs; first += stride) {
    const int64_t i = first + lane % at_once;
    ColumnSums<Element, kElements> sums;
    if (i < packs) {
      const Split at = split(i, packs_of_head);
      sums = vector_times_jagged_part<Element, kElements>(job, at.quotient, at.rest, lane / at_once,
                                                          parts);
    }
    for (int mask = kLanes / 2; mask >= at_once; mask /= 2) {
      PW_UNROLL
      for (int k = 0; k < kElements; ++k) sums.at[k] += shuffle_xor(sums.at[k], mask);
    }
    if (i >= packs || lane >= at_once) continue;
    static_cast<Pack<Element, kElements>*>(job.out)[i] = sums.packed();
  }
}

/// How the groups of lanes share the entries of the weights' gradient.
struct EntryTeams {
  int lanes = 1;      ///< per value row; a power of two
  int64_t rows = 1;   ///< of a vector that a group takes
  int64_t parts = 1;  ///< groups per vector
};

/// Value rows that a lane has in flight.
constexpr int kRowsAtOnce = 4;

inline EntryTeams entry_teams(int64_t vectors, int64_t max_length, int64_t packs_of_head) {
  constexpr int64_t kGroupsWanted = 1 << 13;
  EntryTeams teams;
  while (teams.lanes < kLanes && teams.lanes * 4 <= packs_of_head) teams.lanes *= 2;
  const int64_t at_once = kLanes / teams.lanes * kRowsAtOnce;
  while (vectors * teams.parts < kGroupsWanted && at_once * teams.parts < max_length) {
    teams.parts *= 2;
  }
  teams.rows = (max_length + teams.parts - 1) / teams.parts;
  return teams;
}

/// Entries [begin, end) of a vector. All 32 lanes must call it.
template <class Element, int kElements>
__device__ void write_entries(const DotProducts<Element, kElements>& products,
                              const EntryTeams& teams, int64_t begin, int64_t end, Element* out) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int step = kLanes / teams.lanes;
  const int64_t used = products.length < end ? products.length : end;
  for (int64_t first = begin; first < used; first += kRowsAtOnce * step) {
    const int64_t l = first + lane / teams.lanes;
    Wide<Element> sums[kRowsAtOnce] = {};
    products.add(l, step, lane % teams.lanes, teams.lanes, sums);
    PW_UNROLL
    for (int k = 0; k < kRowsAtOnce; ++k) {
      for (int mask = teams.lanes / 2; mask > 0; mask /= 2) sums[k] += shuffle_xor(sums[k], mask);
      const int64_t at = l + k * step;
      if (lane % teams.lanes == 0 && at < used) from_float(sums[k], out[at]);
    }
  }
  for (int64_t l = (used > begin ? used : begin) + lane; l < end; l += kLanes) {
    from_float(Wide<Element>{0}, out[l]);
  }
}

template <class Element, int kElements, class Index>
__global__ void vector_gradient_kernel(VectorGradientJob<Index> job, EntryTeams teams,
                                       int64_t vectors) {
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  const int64_t max_length = job.shape.jagged.max_length[0];
  for (int64_t i = group; i < vectors * teams.parts; i += groups) {
    const Split at = split(i, teams.parts);
    const int64_t begin = at.rest * teams.rows;
    const int64_t end = begin + teams.rows < max_length ? begin + teams.rows : max_length;
    const DotProducts<Element, kElements> products(job, at.quotient);
    write_entries(products, teams, begin, end,
                  static_cast<Element*>(job.out) + at.quotient * max_length);
  }
}

/// Finds, for each head of each value row of a tile, the vector that holds its weight and the
/// weight's position in that vector.
template <class Index>
__device__ void find_weights(const JaggedVectorShape<Index>& shape, const Tile& tile,
                             DensePlace* places) {
  const int64_t last = tile.first + tile.count - 1;
  const PlaceFinder<Index> finder(shape.jagged, split(tile.first, shape.heads).quotient,
                                  split(last, shape.heads).quotient);
  for (int k = static_cast<int>(threadIdx.x); k < tile.count; k += kThreads) {
    const Split at = split(tile.first + k, shape.heads);
    DensePlace place = finder.of(at.quotient);
    if (place.group >= 0) place.group = place.group * shape.heads + at.rest;
    places[k] = place;
  }
}

template <class Element, int kElements, class Index>
__global__ void jagged_gradient_kernel(JaggedGradientJob<Index> job, RowTiles tiles) {
  using Words = Pack<Element, kElements>;
  using Loaded = WeightedPack<Element, kElements>;
  for_each_tile_word<DensePlace>(
      tiles, [&](const Tile& tile, DensePlace* places) { find_weights(job.shape, tile, places); },
      [&](int64_t, const DensePlace& place, int64_t word) {
        return Loaded(job, place, tiles.words, word);
      },
      [&](int64_t number, const Loaded& loaded) {
        static_cast<Words*>(job.out)[number] = loaded.product();
      });
}

template <class Index>
int64_t vectors_of(const JaggedVectorShape<Index>& shape) {
  return shape.jagged.groups[0] * shape.heads;
}

template <class Element, int kElements, class Index>
void launch_packs(const VectorTimesJaggedJob<Index>& job, void* stream) {
  const int64_t packs = vectors_of(job.shape) * (job.shape.columns / kElements);
  if (packs == 0) return;
  const int parts = parts_for(job.shape, packs);
  launch("batched_dense_vec_jagged_2d_mul", &times_jagged_kernel<Element, kElements, Index>,
         blocks_for(packs, kThreads / parts), static_cast<Stream>(stream), job, packs, parts);
}

template <class Element, int kElements, class Index>
void launch_packs(const VectorGradientJob<Index>& job, void* stream) {
  const int64_t vectors = vectors_of(job.shape);
  const int64_t max_length = job.shape.jagged.max_length[0];
  if (vectors * max_length == 0) return;
  const EntryTeams teams = entry_teams(vectors, max_length, job.shape.columns / kElements);
  launch("batched_dense_vec_jagged_2d_mul, gradient of the vectors",
         &vector_gradient_kernel<Element, kElements, Index>,
         blocks_for(vectors * teams.parts, kGroups), static_cast<Stream>(stream), job, teams,
         vectors);
}

template <class Element, int kElements, class Index>
void launch_packs(const JaggedGradientJob<Index>& job, void* stream) {
  const JaggedVectorShape<Index>& shape = job.shape;
  if (shape.jagged.value_rows * shape.heads * shape.columns == 0) return;
  const RowTiles tiles =
      row_tiles(shape.jagged.value_rows * shape.heads, shape.columns / kElements);
  launch("batched_dense_vec_jagged_2d_mul, gradient of the values",
         &jagged_gradient_kernel<Element, kElements, Index>, blocks_for(tiles.blocks(), 1),
         static_cast<Stream>(stream), job, tiles);
}

/// `first` and `second` are the tensors that are read and written in packs.
template <class Job>
void run_job(const Job& job, const void* first, const void* second, void* stream) {
  with_real_type(job.shape.dtype, [&](auto element) {
    using Element = decltype(element);
    const int64_t head_bytes = job.shape.columns * static_cast<int64_t>(sizeof(Element));
    if (pack_elements<Element>(head_bytes, address(first), address(second)) == 1) {
      launch_packs<Element, 1>(job, stream);
    } else {
      launch_packs<Element, static_cast<int>(16 / sizeof(Element))>(job, stream);
    }
  });
}

}  // namespace jagged_vector_kernels

using namespace jagged_vector_kernels;

template <class Index>
void run_gpu(const VectorTimesJaggedJob<Index>& job, void* stream) {
  run_job(job, job.values, job.out, stream);
}
template <class Index>
void run_gpu(const VectorGradientJob<Index>& job, void* stream) {
  run_job(job, job.values, job.gradient, stream);
}
template <class Index>
void run_gpu(const JaggedGradientJob<Index>& job, void* stream) {
  run_job(job, job.gradient, job.out, stream);
}

template void run_gpu(const VectorTimesJaggedJob<int32_t>&, void*);
template void run_gpu(const VectorTimesJaggedJob<int64_t>&, void*);
template void run_gpu(const VectorGradientJob<int32_t>&, void*);
template void run_gpu(const VectorGradientJob<int64_t>&, void*);
template void run_gpu(const JaggedGradientJob<int32_t>&, void*);
template void run_gpu(const JaggedGradientJob<int64_t>&, void*);

}  // namespace pinwheel
