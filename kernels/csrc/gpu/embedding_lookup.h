#pragma once

// Lookups on a GPU, for any row format.
//
// Bytes: each row once, 4 or 8 for its index, each result once. Rows are scattered, so the number
// of bytes in flight limits the speed: each lane keeps 4 packs of up to 16 bytes in flight. A lane
// reads the index of one position, its weight and the scale and bias of its row; the team then
// exchanges what all of its lanes need, a 32-bit row and a factor. Biases are the same for all
// columns and are only added up at the end.

#include "gpu/bag_teams.h"
#include "gpu/device.h"
#include "units/tbe_units.h"

namespace pinwheel::gpu {

template <class Rows, class Index>
struct UnpooledLookup {
  EmbeddingForwardJob<Index> job;
  Rows rows;
  int lane_bits;
  PW_HD void operator()(int64_t i) const {
    const int lanes = 1 << lane_bits;
    unpooled_unit(job, rows, static_cast<int>(i & (lanes - 1)), lanes, i >> lane_bits);
  }
};

/// A bag that a team sums up, in numbers of type `Size`.
template <class Size>
struct TeamBag {
  int64_t begin;
  Size length;
  Size longest;  ///< length of the longest bag of the group
  Size widest;   ///< columns of the widest table of the group
  int64_t out;   ///< where the bag's row of the result starts
};

/// The sum of a bag's rows, one pack of columns per lane. Numbers of rows have the type `Row`.
template <class Packs, class Index, class Row, class Size>
struct BagSum {
  static constexpr int kAtOnce = sizeof(Row) == 4 ? kRowsAtOnce : 1;

  const EmbeddingForwardJob<Index>& job;
  const TeamLane& team;
  const Packs& packs;
  const TeamBag<Size>& bag;
  Size column;
  float sums[Packs::kColumns] = {};
  float bias = 0;

  __device__ BagSum(const EmbeddingForwardJob<Index>& job_in, const TeamLane& team_in,
                    const Packs& packs_in, const TeamBag<Size>& bag_in, Size column_in)
      : job(job_in), team(team_in), packs(packs_in), bag(bag_in), column(column_in) {}

  /// Adds all rows; all lanes of the group must call it.
  __device__ void add() {
    const int64_t first = bag.begin + team.self;
    for (Size begin = 0; begin < bag.longest; begin += team.size) {
      Row row = static_cast<Row>(-1);
      float factor = 0;
      if (begin + team.self < bag.length) {
        const int64_t at = job.bags.row_at(first + begin, packs.table);
        row = static_cast<Row>(at);
        if (at >= 0) factor = factor_of(first + begin, row);
      }
      const Size rest = bag.longest - begin;
      const int count = rest < team.size ? static_cast<int>(rest) : team.size;
      for (int k = 0; k < count; k += kAtOnce * team.rows) add_at_once(row, factor, k, count);
    }
    PW_UNROLL
    for (int k = 0; k < Packs::kColumns; ++k) sums[k] = team.over_rows(sums[k]);
    if (Packs::kScaled) bias = team.over_team(bias);
  }

  /// Stores the columns in the lanes of the first row.
  __device__ void store() {
    const Size columns = static_cast<Size>(packs.table.columns);
    if (team.row > 0 || column >= columns) return;
    const bool mean = job.pooling == Pooling::kMean && bag.length > 0;
    const float part = mean ? 1.0f / static_cast<float>(bag.length) : 1.0f;
    PW_UNROLL
    for (int k = 0; k < Packs::kColumns; ++k) {
      if (Packs::kScaled) sums[k] += bias;
      sums[k] *= part;
    }
    store_chunk<Packs::kColumns>(job.out, job.out_dtype, bag.out, column, columns, sums);
  }

 private:
  __device__ float factor_of(int64_t position, Row row) {
    const float weight = job.indice_weights == nullptr ? 1.0f : job.indice_weights[position];
    if (!Packs::kScaled) return weight;
    const RowScale scale = packs.scale(row);
    bias += scale.bias * weight;
    return scale.scale * weight;
  }

  /// From the positions that lanes of the team hold, adds those from k on, below `count`.
  __device__ void add_at_once(Row row, float factor, int k, int count) {
    const bool inside = column < static_cast<Size>(packs.table.columns);
    const bool factors_differ = Packs::kScaled || job.indice_weights != nullptr;
    typename Packs::Words read[kAtOnce] = {};
    float factors[kAtOnce];
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) {
      const int source = k + r * team.rows + team.row;
      const Row from = team.from(row, source);
      factors[r] = factors_differ ? team.from(factor, source) : 1.0f;
      if (source >= count || from == static_cast<Row>(-1)) {
        factors[r] = 0;
      } else if (inside) {
        read[r] = packs.read(from, column);
      }
    }
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) {
      PW_UNROLL
      for (int c = 0; c < Packs::kColumns; ++c) {
        sums[c] += Packs::number(read[r], c) * factors[r];
      }
    }
  }
};

template <class Row, class Size, class Packs, class Index>
__device__ void pool_bag(const EmbeddingForwardJob<Index>& job, const TeamLane& team,
                         const Packs& packs, const TeamBag<int64_t>& any) {
  const TeamBag<Size> bag{any.begin, static_cast<Size>(any.length), static_cast<Size>(any.longest),
                          static_cast<Size>(any.widest), any.out};
  for (Size begin = 0; begin < bag.widest; begin += team.lanes * Packs::kColumns) {
    BagSum<Packs, Index, Row, Size> sum(job, team, packs, bag, begin + team.lane * Packs::kColumns);
    sum.add();
    sum.store();
  }
}

/// Blocks per multiprocessor that registers must suffice for: more would spill.
constexpr int kLookupBlocks = 3;

template <class Rows, class Index>
__global__ void __launch_bounds__(kThreads, kLookupBlocks)
    pooled_kernel(EmbeddingForwardJob<Index> job, Rows rows, BagTeams teams) {
  const TeamLane team(teams);
  const int64_t stride = gridDim.x * teams.bags_per_block();
  for (int64_t first = blockIdx.x * teams.bags_per_block(); first < job.bags.count;
       first += stride) {
    const int64_t number = first + (threadIdx.x >> teams.team_bits);
    const bool inside = number < job.bags.count;
    const int64_t t = inside ? static_cast<int64_t>(teams.batch.quotient(number)) : 0;
    const typename Rows::Packs packs =
        rows.packs(job.weights, inside ? job.tables.at(t) : TbeTable{});
    const TbeBag bag = inside ? job.bags.at(number) : TbeBag{};
    const int64_t row = number - t * job.bags.batch;
    const TeamBag<int64_t> of_team{bag.begin, bag.length, team.most(bag.length),
                                   team.most(packs.table.columns),
                                   row * job.out_columns + packs.table.out_column};
    // Lengths are rounded up to whole teams.
    const bool small = of_team.longest < INT32_MAX - kLanes;
    if (small && team.most(packs.whole() ? 0 : 1) == 0) {
      pool_bag<uint32_t, int>(job, team, packs, of_team);
    } else {
      pool_bag<int64_t, int64_t>(job, team, packs, of_team);
    }
  }
}

template <class Rows, class Index>
void launch_lookup(const char* name, const EmbeddingForwardJob<Index>& job, const Rows& rows,
                   void* stream) {
  if (job.tables.count == 0 || job.out_columns == 0) return;
  constexpr int kColumns = Rows::Packs::kColumns;
  const int64_t columns = (job.tables.total_D + job.tables.count - 1) / job.tables.count;
  const int64_t packs = (columns + kColumns - 1) / kColumns;
  if (job.pooling == Pooling::kNone) {
    const int bits = lane_bits_for(packs);
    launch_units(name, UnpooledLookup<Rows, Index>{job, rows, bits}, job.bags.positions << bits,
                 stream);
  } else if (job.bags.count > 0) {
    const BagTeams teams = teams_for(packs, job.bags.count, job.bags.batch, job.bags.positions);
    launch(name, &pooled_kernel<Rows, Index>, blocks_for(job.bags.count, teams.bags_per_block()),
           static_cast<Stream>(stream), job, rows, teams);
  }
}

}  // namespace pinwheel::gpu
