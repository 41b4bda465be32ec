#include "jobs/jagged_softmax.h"

#include "gpu/device.h"
#include "gpu/row_tiles.h"
#include "units/jagged_softmax_units.h"
#include "units/pack.h"

// Roofline: memory, each value read and each result written once. A team takes a group and up to
// 128 bytes of its columns in at most 32 packs: 16 bytes if rows are aligned to them, else one
// element. Adjacent lanes read adjacent packs, further lanes and warps other rows; a thread has
// several rows in flight, because it would otherwise wait for memory once per row. The first pass
// keeps a running maximum and sum, so that values are read twice and not three times, the second
// time from the caches. Lanes merge their parts by shuffles and warps theirs in shared memory, in a
// fixed order: deterministic. Further blocks of the same launch clear the rows that no team writes.

namespace pinwheel {
namespace jagged_softmax_kernels {

using namespace gpu;

/// Rows that a thread loads before it uses the first of them.
constexpr int kRowsAtOnce = 4;

/// The items, a group and some packs each, and how many of the launch's blocks take them. Numbers
/// of lanes and warps are powers of two.
struct Work {
  int lanes = 1;          ///< of a warp, for adjacent packs
  int warps = 1;          ///< per item
  int64_t packs = 1;      ///< per row
  int64_t tiles = 1;      ///< items per group
  int64_t items = 0;      ///< of all groups
  int64_t blocks = 0;     ///< that take items
  int64_t rest_rows = 1;  ///< value rows per further block

  PW_HD int per_block() const { return kGroups / warps; }
};

/// `widest`: the most lanes for adjacent packs.
template <class Index>
Work work_for(const JaggedView<Index>& jagged, int64_t packs, int widest) {
  constexpr int64_t kWarpsWanted = 1 << 13;
  constexpr int64_t kRestBlocks = 512;
  Work work;
  work.packs = packs;
  while (work.lanes < widest && work.lanes < packs) work.lanes *= 2;
  work.tiles = (packs + work.lanes - 1) / work.lanes;
  work.items = jagged.groups[0] * work.tiles;
  const int64_t at_once = kLanes / work.lanes * kRowsAtOnce;
  while (work.warps < kGroups && work.warps * at_once < jagged.max_length[0] &&
         work.items * work.warps < kWarpsWanted) {
    work.warps *= 2;
  }
  work.blocks = blocks_for(work.items, work.per_block());
  const int64_t rounds =
      (jagged.value_rows + kRestBlocks * kThreads - 1) / (kRestBlocks * kThreads);
  work.rest_rows = kThreads * std::max<int64_t>(1, rounds);
  return work;
}

/// A thread's part of an item: a pack of each `step`th row of a group, from row `row` on.
struct Place {
  int64_t pack = 0;
  int row = 0;
  int step = 1;
  Run run;  ///< the group's rows; empty if there is no group left or no such pack

  /// Whether the group has the row `k` steps after `l`.
  __device__ bool inside(int64_t l, int k) const { return l + k * step < run.length; }
  __device__ int64_t at(int64_t l, int k, int64_t packs) const {
    return (run.begin + l + k * step) * packs + pack;
  }

  template <class Index>
  __device__ Place(const JaggedView<Index>& jagged, const Work& work, int64_t first_item) {
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const int warp = static_cast<int>(threadIdx.x) / kLanes;
    const Split at = split(first_item + warp / work.warps, work.tiles);
    const int rows = kLanes / work.lanes;
    pack = at.rest * work.lanes + lane % work.lanes;
    row = warp % work.warps * rows + lane / work.lanes;
    step = rows * work.warps;
    if (at.quotient < jagged.groups[0] && pack < work.packs) run = run_in(jagged, 0, at.quotient);
  }
};

/// The packs of the thread's next rows from row `l` on; 0 outside the group.
template <class Words>
struct Rows {
  Words at[kRowsAtOnce] = {};

  __device__ Rows(const void* from, const Place& place, int64_t l, int64_t packs) {
    PW_UNROLL
    for (int k = 0; k < kRowsAtOnce; ++k) {
      if (!place.inside(l, k)) continue;
      at[k] = load_whole(static_cast<const Words*>(from) + place.at(l, k, packs));
    }
  }
};

/// Adds up the sums of the lanes that differ in the bits from `first` on. All 32 lanes must call
/// it.
template <class Part, int kParts>
__device__ void add_lanes(Part (&parts)[kParts], int first) {
  for (int mask = first; mask < kLanes; mask *= 2) {
    PW_UNROLL
    for (int k = 0; k < kParts; ++k) parts[k].sum += shuffle_xor(parts[k].sum, mask);
  }
}

/// Merges the parts of the same lanes. First their maximum alone, so that each part takes one
/// exponential.
template <class Number, int kParts>
__device__ void merge_lanes(SoftmaxSum<Number> (&parts)[kParts], int first) {
  Number most[kParts];
  PW_UNROLL
  for (int k = 0; k < kParts; ++k) most[k] = parts[k].high;
  for (int mask = first; mask < kLanes; mask *= 2) {
    PW_UNROLL
    for (int k = 0; k < kParts; ++k) {
      const Number other = shuffle_xor(most[k], mask);
      most[k] = other > most[k] ? other : most[k];
    }
  }
  PW_UNROLL
  for (int k = 0; k < kParts; ++k) parts[k].raise(most[k]);
  add_lanes(parts, first);
}
template <class Number, int kParts>
__device__ void merge_lanes(DotSum<Number> (&parts)[kParts], int first) {
  add_lanes(parts, first);
}

/// The most bytes of a row that a warp takes at once: more would leave it fewer rows.
constexpr int kRowBytes = 128;

template <class Words>
constexpr int kWidest = sizeof(Words) * kLanes < kRowBytes
                            ? kLanes
                            : kRowBytes / static_cast<int>(sizeof(Words));

/// Merges the parts of the threads of a team that share a pack. All threads of a block must call
/// it. `shared` has room for a warp's parts per warp.
template <class Part, int kParts>
__device__ void merge_parts(Part (&parts)[kParts], const Work& work, Part* shared) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  if (work.lanes < kLanes) merge_lanes(parts, work.lanes);
  if (work.warps == 1) return;
  __syncthreads();  // other threads may still read the last item's
  if (lane < work.lanes) {
    PW_UNROLL
    for (int k = 0; k < kParts; ++k) shared[(warp * work.lanes + lane) * kParts + k] = parts[k];
  }
  __syncthreads();
  const int first = warp / work.warps * work.warps;
  const Part* const own = shared + (first * work.lanes + lane % work.lanes) * kParts;
  PW_UNROLL
  for (int k = 0; k < kParts; ++k) {
    parts[k] = Part::merged(own + k, work.warps, work.lanes * kParts);
  }
}

/// Clears the rows that no group's threads write. With invalid offsets, a group may claim a row
/// that the search does not find; then either may be last.
template <class Words, class Job>
__device__ void clear_rest(const Job& job, const Work& work) {
  const int64_t blocks = gridDim.x - work.blocks;
  const int64_t block = blockIdx.x - work.blocks;
  for (int64_t first = block * work.rest_rows; first < job.jagged.value_rows;
       first += blocks * work.rest_rows) {
    const int64_t left = job.jagged.value_rows - first;
    const int64_t end = first + (left < work.rest_rows ? left : work.rest_rows);
    const PlaceFinder<std::decay_t<decltype(*job.jagged.offsets[0])>> finder(job.jagged, first,
                                                                             end - 1);
    for (int64_t row = first + threadIdx.x; row < end; row += kThreads) {
      const DensePlace place = finder.of(row);
      const Run run = place.group < 0 ? Run{} : run_in(job.jagged, 0, place.group);
      if (place.within < run.length && run.begin + place.within == row) continue;
      Words* const packs = static_cast<Words*>(job.out) + row * work.packs;
      for (int64_t p = 0; p < work.packs; ++p) packs[p] = Words{};
    }
  }
}

template <class Element, int kElements, class Index>
__global__ void softmax_kernel(JaggedSoftmaxJob<Index> job, Work work) {
  using Number = Wide<Element>;
  using Words = Pack<Element, kElements>;
  __shared__ SoftmaxSum<Number> shared[kGroups * kWidest<Words> * kElements];
  if (blockIdx.x >= work.blocks) return clear_rest<Words>(job, work);
  for (int64_t first = blockIdx.x * work.per_block(); first < work.items;
       first += work.blocks * work.per_block()) {
    const Place place(job.jagged, work, first);
    SoftmaxSum<Number> parts[kElements];
    PW_UNROLL
    for (int e = 0; e < kElements; ++e) parts[e] = SoftmaxSum<Number>::none();
    for (int64_t l = place.row; l < place.run.length; l += kRowsAtOnce * place.step) {
      const Rows<Words> rows(job.values, place, l, work.packs);
      PW_UNROLL
      for (int e = 0; e < kElements; ++e) {
        Number numbers[kRowsAtOnce];
        PW_UNROLL
        for (int k = 0; k < kRowsAtOnce; ++k) {
          numbers[k] = place.inside(l, k) ? to_float(rows.at[k].at[e]) : -INFINITY;
        }
        parts[e].add(numbers);
      }
    }
    merge_parts(parts, work, shared);
    PW_UNROLL
    for (int e = 0; e < kElements; ++e) parts[e].sum = parts[e].scale();
    for (int64_t l = place.row; l < place.run.length; l += kRowsAtOnce * place.step) {
      Rows<Words> rows(job.values, place, l, work.packs);
      PW_UNROLL
      for (int k = 0; k < kRowsAtOnce; ++k) {
        if (!place.inside(l, k)) continue;
        PW_UNROLL
        for (int e = 0; e < kElements; ++e) {
          const Number number = to_float(rows.at[k].at[e]);
          from_float(exponential_of(number - parts[e].high) * parts[e].sum, rows.at[k].at[e]);
        }
        static_cast<Words*>(job.out)[place.at(l, k, work.packs)] = rows.at[k];
      }
    }
  }
}

template <class Element, int kElements, class Index>
__global__ void gradient_kernel(JaggedSoftmaxGradientJob<Index> job, Work work) {
  using Number = Wide<Element>;
  using Words = Pack<Element, kElements>;
  __shared__ DotSum<Number> shared[kGroups * kWidest<Words> * kElements];
  if (blockIdx.x >= work.blocks) return clear_rest<Words>(job, work);
  for (int64_t first = blockIdx.x * work.per_block(); first < work.items;
       first += work.blocks * work.per_block()) {
    const Place place(job.jagged, work, first);
    DotSum<Number> parts[kElements];
    PW_UNROLL
    for (int e = 0; e < kElements; ++e) parts[e] = DotSum<Number>::none();
    for (int64_t l = place.row; l < place.run.length; l += kRowsAtOnce * place.step) {
      const Rows<Words> gradient(job.gradient, place, l, work.packs);
      const Rows<Words> softmax(job.softmax, place, l, work.packs);
      PW_UNROLL
      for (int k = 0; k < kRowsAtOnce; ++k) {
        PW_UNROLL
        for (int e = 0; e < kElements; ++e) {
          const Number number = to_float(gradient.at[k].at[e]);
          parts[e].sum += number * to_float(softmax.at[k].at[e]);
        }
      }
    }
    merge_parts(parts, work, shared);
    for (int64_t l = place.row; l < place.run.length; l += kRowsAtOnce * place.step) {
      const Rows<Words> gradient(job.gradient, place, l, work.packs);
      Rows<Words> softmax(job.softmax, place, l, work.packs);
      PW_UNROLL
      for (int k = 0; k < kRowsAtOnce; ++k) {
        if (!place.inside(l, k)) continue;
        PW_UNROLL
        for (int e = 0; e < kElements; ++e) {
          const Number number = to_float(gradient.at[k].at[e]);
          from_float(to_float(softmax.at[k].at[e]) * (number - parts[e].sum), softmax.at[k].at[e]);
        }
        static_cast<Words*>(job.out)[place.at(l, k, work.packs)] = softmax.at[k];
      }
    }
  }
}

template <class Words, class Job, class Kernel>
void launch_teams(const char* name, Kernel kernel, const Job& job, int64_t packs, void* stream) {
  if (packs == 0) return;
  const Work work = work_for(job.jagged, packs, kWidest<Words>);
  const int64_t blocks = work.blocks + blocks_for(job.jagged.value_rows, work.rest_rows);
  if (blocks == 0) return;
  launch(name, kernel, blocks, static_cast<Stream>(stream), job, work);
}

template <class Element, int kElements, class Index>
void launch_packs(const JaggedSoftmaxJob<Index>& job, void* stream) {
  launch_teams<Pack<Element, kElements>>("jagged_softmax",
                                         &softmax_kernel<Element, kElements, Index>, job,
                                         job.columns / kElements, stream);
}

template <class Element, int kElements, class Index>
void launch_packs(const JaggedSoftmaxGradientJob<Index>& job, void* stream) {
  launch_teams<Pack<Element, kElements>>("jagged_softmax_backward",
                                         &gradient_kernel<Element, kElements, Index>, job,
                                         job.columns / kElements, stream);
}

/// The addresses are those of the tensors.
template <class Job, class... Addresses>
void run_job(const Job& job, void* stream, const Addresses&... addresses) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    const int64_t row_bytes = job.columns * static_cast<int64_t>(sizeof(Element));
    if (pack_elements<Element>(row_bytes, address(addresses)...) == 1) {
      launch_packs<Element, 1>(job, stream);
    } else {
      launch_packs<Element, static_cast<int>(16 / sizeof(Element))>(job, stream);
    }
  });
}

}  // namespace jagged_softmax_kernels

using namespace jagged_softmax_kernels;

template <class Index>
void run_gpu(const JaggedSoftmaxJob<Index>& job, void* stream) {
  run_job(job, stream, job.values, job.out);
}

template <class Index>
void run_gpu(const JaggedSoftmaxGradientJob<Index>& job, void* stream) {
  run_job(job, stream, job.gradient, job.softmax, job.out);
}

template void run_gpu(const JaggedSoftmaxJob<int32_t>&, void*);
template void run_gpu(const JaggedSoftmaxJob<int64_t>&, void*);
template void run_gpu(const JaggedSoftmaxGradientJob<int32_t>&, void*);
template void run_gpu(const JaggedSoftmaxGradientJob<int64_t>&, void*);

}  // namespace pinwheel
