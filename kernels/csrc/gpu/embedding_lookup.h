#pragma once

// Lookups on a GPU, for any row format.
//
// Bytes: each row once, 4 or 8 for its index, each result once. Rows are scattered, so the number
// of bytes in flight limits the speed: each lane keeps 4 packs of up to 16 bytes in flight. A lane
// reads the index of one position, its weight and the scale and bias of its row; the team then
// exchanges what all of its lanes need, a 32-bit row and a factor. Rows are requested before
// anything waits for a factor. Biases are the same for all columns and are only added up at the
// end.

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
template <class Index, class Size>
struct TeamBag {
  int64_t begin;
  Size length;
  Size longest;  ///< length of the longest bag of the group
  Size widest;   ///< columns of the widest table of the group
  int64_t out;   ///< where the bag's row of the result starts
  Index index;   ///< what the lane's first position looks up, if the bag has that position
};

/// The sum of a bag's rows, one pack of columns per lane. Numbers of rows have the type `Row`.
template <class Packs, class Index, class Row, class Size>
struct BagSum {
  static constexpr int kAtOnce = sizeof(Row) == 4 ? kRowsAtOnce : 1;
  static constexpr Row kNone = static_cast<Row>(-1);

  const EmbeddingForwardJob<Index>& job;
  const TeamLane& team;
  const Packs& packs;
  const TeamBag<Index, Size>& bag;
  Size column;
  float sums[Packs::kColumns] = {};
  float bias = 0;

  __device__ BagSum(const EmbeddingForwardJob<Index>& job_in, const TeamLane& team_in,
                    const Packs& packs_in, const TeamBag<Index, Size>& bag_in, Size column_in)
      : job(job_in), team(team_in), packs(packs_in), bag(bag_in), column(column_in) {}

  /// Adds all rows; all lanes of the group must call it.
  __device__ void add() {
    Index index = bag.index;
    for (Size begin = 0; begin < bag.longest; begin += team.size) {
      const bool has = begin + team.self < bag.length;
      const Row row = has ? static_cast<Row>(job.bags.row_of(index, packs.table)) : kNone;
      const Size rest = bag.longest - begin;
      const int count = rest < team.size ? static_cast<int>(rest) : team.size;
      const Size next = begin + team.size + team.self;
      if (next < bag.length) index = job.bags.indices[bag.begin + next];
      if (Packs::kScaled || job.indice_weights != nullptr) {
        add_with_factors(row, bag.begin + begin + team.self, count);
      } else {
        add_plain(row, count);
      }
    }
    team.over_rows(sums);
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
  /// Adds the rows that the first `count` lanes of the team hold, each as its number or kNone.
  __device__ void add_plain(Row row, int count) {
    typename Packs::Words read[kAtOnce];
    for (int k = 0; k < count; k += kAtOnce * team.rows) {
      read_rows(row, k, read);
      PW_UNROLL
      for (int r = 0; r < kAtOnce; ++r) {
        PW_UNROLL
        for (int c = 0; c < Packs::kColumns; ++c) sums[c] += Packs::number(read[r], c);
      }
    }
  }

  /// The same with a factor per row. It is needed, and waited for, only after the first rows are on
  /// their way.
  __device__ void add_with_factors(Row row, int64_t position, int count) {
    RowParameters parameters;
    float factor = 0;
    if (row != kNone) {
      factor = job.indice_weights == nullptr ? 1.0f : job.indice_weights[position];
      parameters = packs.parameters(row);
    }
    typename Packs::Words read[kAtOnce];
    for (int k = 0; k < count; k += kAtOnce * team.rows) {
      read_rows(row, k, read);
      if (Packs::kScaled && k == 0) {
        const RowScale scale = packs.scale(parameters);
        bias += scale.bias * factor;
        factor *= scale.scale;
      }
      float factors[kAtOnce];
      PW_UNROLL
      for (int r = 0; r < kAtOnce; ++r) factors[r] = team.from(factor, source_of(k, r));
      PW_UNROLL
      for (int r = 0; r < kAtOnce; ++r) {
        PW_UNROLL
        for (int c = 0; c < Packs::kColumns; ++c) {
          sums[c] += Packs::number(read[r], c) * factors[r];
        }
      }
    }
  }

  __device__ int source_of(int k, int r) const { return k + r * team.rows + team.row; }

  /// Reads this lane's columns of kAtOnce rows: those that lanes source_of(k, r) of the team hold;
  /// 0 where there is no row.
  __device__ void read_rows(Row row, int k, typename Packs::Words* read) const {
    const bool inside = column < static_cast<Size>(packs.table.columns);
    Row from[kAtOnce];
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) from[r] = team.from(row, source_of(k, r));
    PW_UNROLL
    for (int r = 0; r < kAtOnce; ++r) {
      read[r] = typename Packs::Words{};
      if (inside && from[r] != kNone) read[r] = packs.read(from[r], column);
    }
  }
};

template <class Row, class Size, class Packs, class Index>
__device__ void pool_bag(const EmbeddingForwardJob<Index>& job, const TeamLane& team,
                         const Packs& packs, const TbeBag& bag, int64_t out, Index index) {
  const Size length = static_cast<Size>(bag.length);
  const TeamBag<Index, Size> of_team{
      bag.begin, length, team.most(length), team.most(static_cast<Size>(packs.table.columns)),
      out,       index};
  for (Size begin = 0; begin < of_team.widest; begin += team.lanes * Packs::kColumns) {
    BagSum<Packs, Index, Row, Size> sum(job, team, packs, of_team,
                                        begin + team.lane * Packs::kColumns);
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
    // Teams without a bag read what another team reads, so that no load waits for a branch.
    const int64_t some = inside ? number : first;
    const int64_t t = static_cast<int64_t>(teams.batch.quotient(some));
    TbeBag bag = job.bags.at(some);
    TbeTable table = job.tables.at(t);
    if (!inside) bag.length = table.columns = 0;
    const Index index = team.self < bag.length ? job.bags.indices[bag.begin + team.self] : 0;
    const int64_t out = (some - t * job.bags.batch) * job.out_columns + table.out_column;
    const typename Rows::Packs packs = rows.packs(job.weights, table);
    // Lengths are rounded up to whole teams, and the next turn's position is computed too.
    const bool small = bag.length < INT32_MAX - 2 * kLanes && packs.whole();
    if (lanes_where(!small) == 0) {
      pool_bag<uint32_t, int>(job, team, packs, bag, out, index);
    } else {
      pool_bag<int64_t, int64_t>(job, team, packs, bag, out, index);
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
