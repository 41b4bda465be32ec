// The gradients of lookups. Bytes for the dense gradient: it is zeroed once; for each index its
// bag's gradient is read and an 8-byte key is sorted with an 8-byte payload; each row that occurs
// is written. The sort is stable, so one sum in that order gives bitwise identical results in every
// run, without atomics. The lanes of a row's first occurrence process the whole row, with loads of
// 4 occurrences in flight; a row that makes up most of the batch is therefore left to few lanes.

#include "jobs/embedding_dense.h"

#include "gpu/bag_teams.h"
#include "gpu/device.h"
#include "gpu/quad.h"
#include "units/embedding_dense_units.h"

namespace pinwheel {
namespace embedding_dense_kernels {

using namespace gpu;

template <class Index>
struct Occurrence {
  OccurrencesJob<Index> job;
  PW_HD void operator()(int64_t i) const { occurrence_unit(job, i); }
};

template <class Grad, class Index>
struct SortedGradient {
  SortedGradientJob<Index> job;
  int lane_bits;
  PW_HD void operator()(int64_t i) const {
    const int lanes = 1 << lane_bits;
    sorted_gradient_unit<Grad>(job, static_cast<int>(i & (lanes - 1)), lanes, i >> lane_bits);
  }
};

/// The gradient of a bag's row of the result.
template <class Grad>
struct BagGradient {
  const Grad* row;
  int64_t columns;
  bool aligned;

  template <int kColumns>
  __device__ void read(int64_t column, float* numbers) const {
    PW_UNROLL
    for (int k = 0; k < kColumns; k += 4) {
      const int64_t rest = columns - column - k;
      const Quad quad = rest > 0 ? load_quad(row + column + k, rest, aligned) : Quad{};
      for (int c = 0; c < 4; ++c) numbers[k + c] = quad.n[c];
    }
  }
};

/// The dot products of a bag's gradient and its rows, by the bag's team. Numbers of rows have the
/// type `Row`.
template <class Grad, class Packs, class Index, class Row>
struct BagDots {
  static constexpr int kAtOnce = sizeof(Row) == 4 ? kRowsAtOnce : 1;

  const IndiceWeightsGradientJob<Index>& job;
  const TeamLane& team;
  const Packs& packs;
  const BagGradient<Grad>& gradient;
  TbeBag bag;

  /// All lanes of the group must call it; `longest` is the length of the group's longest bag.
  __device__ void store(int64_t longest) const {
    for (int64_t begin = 0; begin < longest; begin += team.size) {
      Row row = static_cast<Row>(-1);
      const int64_t position = begin + team.self;
      if (position < bag.length) {
        row = static_cast<Row>(job.bags.row_at(bag.begin + position, packs.table));
      }
      const int count = longest - begin < team.size ? static_cast<int>(longest - begin) : team.size;
      for (int k = 0; k < count; k += kAtOnce * team.rows) store_at_once(row, begin, k);
    }
  }

 private:
  /// Stores the products of the positions from begin + k on that the lanes of a team take at once.
  /// Lane i of the team holds the row of position begin + i.
  __device__ void store_at_once(Row row, int64_t begin, int k) const {
    Row rows[kAtOnce];
    float dots[kAtOnce] = {};
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) rows[r] = team.from(row, k + r * team.rows + team.row);
    for (int64_t column = team.lane * Packs::kColumns; column < packs.table.columns;
         column += team.lanes * Packs::kColumns) {
      add_columns(rows, column, dots);
    }
    team.over_lanes(dots);
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) {
      const int64_t position = begin + k + r * team.rows + team.row;
      float dot = dots[r];
      if (team.lane > 0 || position >= bag.length) continue;
      if (job.pooling == Pooling::kMean) dot /= static_cast<float>(bag.length);
      job.out[bag.begin + position] = dot;
    }
  }

  __device__ void add_columns(const Row* rows, int64_t column, float* dots) const {
    typename Packs::Words read[kAtOnce] = {};
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) {
      if (rows[r] != static_cast<Row>(-1)) read[r] = packs.read(rows[r], column);
    }
    float numbers[Packs::kColumns];
    gradient.template read<Packs::kColumns>(column, numbers);
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) {
      PW_UNROLL
      for (int c = 0; c < Packs::kColumns; ++c) dots[r] += Packs::number(read[r], c) * numbers[c];
    }
  }
};

/// Blocks per multiprocessor that registers must suffice for: more would spill.
template <class Weight>
constexpr int kDotBlocks = sizeof(Weight) == 4 ? 3 : 2;

template <class Grad, class Weight, class Index>
__global__ void __launch_bounds__(kThreads, kDotBlocks<Weight>)
    indice_weights_kernel(IndiceWeightsGradientJob<Index> job, BagTeams teams) {
  using Packs = PlainPacks<Weight>;
  const TeamLane team(teams);
  const int64_t stride = gridDim.x * teams.bags_per_block();
  for (int64_t first = blockIdx.x * teams.bags_per_block(); first < job.bags.count;
       first += stride) {
    const int64_t number = first + (threadIdx.x >> teams.team_bits);
    const bool inside = number < job.bags.count;
    // Teams without a bag read what another team reads, so that no load waits for a branch.
    const int64_t some = inside ? number : first;
    const int64_t t = static_cast<int64_t>(teams.batch.quotient(some));
    TbeBag bag = job.bags.at(some);
    TbeTable table = job.tables.at(t);
    if (!inside) bag.length = table.columns = 0;
    const Packs packs(job.weights, table);
    const Grad* const grad = static_cast<const Grad*>(job.grad);
    const int64_t at = (some - t * job.bags.batch) * job.grad_columns + packs.table.out_column;
    const int64_t columns = packs.table.columns;
    const BagGradient<Grad> gradient{grad + at, columns, in_quads(grad, at, 0, columns)};
    const int64_t longest = team.most(bag.length);
    if (team.most(packs.whole() ? 0 : 1) == 0) {
      BagDots<Grad, Packs, Index, uint32_t>{job, team, packs, gradient, bag}.store(longest);
    } else {
      BagDots<Grad, Packs, Index, int64_t>{job, team, packs, gradient, bag}.store(longest);
    }
  }
}

}  // namespace embedding_dense_kernels

using namespace embedding_dense_kernels;

template <class Index>
void run_gpu(const OccurrencesJob<Index>& job, void* stream) {
  gpu::launch_units("tbe_backward_dense", Occurrence<Index>{job}, job.of.bags.positions, stream);
}

template <class Index>
void run_gpu(const SortedGradientJob<Index>& job, void* stream) {
  const DenseGradientJob<Index>& of = job.of;
  if (of.tables.count == 0 || of.tables.total_D == 0) return;
  with_float_type(of.grad_dtype, [&](auto grad) {
    const int64_t columns = (of.tables.total_D + of.tables.count - 1) / of.tables.count;
    constexpr int kColumns = PlainChunks<decltype(grad)>::kNumbers;
    const int bits = gpu::lane_bits_for((columns + kColumns - 1) / kColumns);
    gpu::launch_units("tbe_backward_dense", SortedGradient<decltype(grad), Index>{job, bits},
                      of.bags.positions << bits, stream);
  });
}

template <class Index>
void run_gpu(const IndiceWeightsGradientJob<Index>& job, void* stream) {
  if (job.bags.count == 0) return;
  const int64_t columns = (job.tables.total_D + job.tables.count - 1) / job.tables.count;
  with_float_type(job.grad_dtype, [&](auto grad) {
    with_float_type(job.weights_dtype, [&](auto weight) {
      constexpr int kColumns = PlainPacks<decltype(weight)>::kColumns;
      const gpu::BagTeams teams = gpu::teams_for(
          (columns + kColumns - 1) / kColumns, job.bags.count, job.bags.batch, job.bags.positions);
      gpu::launch("tbe_backward_indice_weights",
                  &indice_weights_kernel<decltype(grad), decltype(weight), Index>,
                  gpu::blocks_for(job.bags.count, teams.bags_per_block()),
                  static_cast<gpu::Stream>(stream), job, teams);
    });
  });
}

template void run_gpu(const OccurrencesJob<int32_t>&, void*);
template void run_gpu(const OccurrencesJob<int64_t>&, void*);
template void run_gpu(const SortedGradientJob<int32_t>&, void*);
template void run_gpu(const SortedGradientJob<int64_t>&, void*);
template void run_gpu(const IndiceWeightsGradientJob<int32_t>&, void*);
template void run_gpu(const IndiceWeightsGradientJob<int64_t>&, void*);

}  // namespace pinwheel
