#pragma once

// How the lanes of a group share bags of rows. A bag has a team of adjacent lanes; several teams
// may share a group. A row takes some lanes of the team, one pack of columns each, and the rest of
// the team reads the next rows at the same time. Each lane reads the index of another position, and
// the team then exchanges them.

#include "gpu/device.h"
#include "index/divider.h"

namespace pinwheel::gpu {

/// Rows that a lane has in flight.
constexpr int kRowsAtOnce = 4;

/// Numbers of lanes as powers of 2.
struct BagTeams {
  int row_bits = 0;   ///< lanes that read one row, at least kRowsAtOnce
  int team_bits = 0;  ///< lanes of a team
  Divider batch;      ///< bags per table

  PW_HD int64_t bags_per_block() const { return kThreads >> team_bits; }
};

/// Lanes for a row of `packs` packs, as a power of 2.
inline int lane_bits_for(int64_t packs) {
  int bits = 0;
  while (int64_t{1} << bits < std::min<int64_t>(packs, kLanes)) ++bits;
  return bits;
}

/// For `bags` bags of `positions` rows together, whose average row has `packs` packs. Teams read
/// several rows at the same time if bags are long enough, or if there are too few bags for all
/// lanes of a GPU. A row has at least kRowsAtOnce lanes, so that all rows that a lane has in flight
/// are those of positions that lanes of its team hold.
inline BagTeams teams_for(int64_t packs, int64_t bags, int64_t batch, int64_t positions) {
  constexpr int64_t kLanesOfGpu = int64_t{1} << 17;
  BagTeams teams;
  teams.row_bits = lane_bits_for(std::max<int64_t>(packs, kRowsAtOnce));
  teams.team_bits = teams.row_bits;
  const int64_t length = (positions + bags - 1) / bags;
  while (1 << teams.team_bits < kLanes) {
    const int64_t rows = int64_t{1} << (teams.team_bits - teams.row_bits);
    const bool few = bags << teams.team_bits < kLanesOfGpu;
    if (length <= rows * (few ? 1 : kRowsAtOnce)) break;
    ++teams.team_bits;
  }
  teams.batch = Divider(static_cast<uint64_t>(std::max<int64_t>(batch, 1)));
  return teams;
}

/// A thread's place in its team.
struct TeamLane {
  int size;   ///< lanes of the team
  int lanes;  ///< lanes that read one row
  int rows;   ///< rows that are read at the same time
  int self;   ///< this lane of the team
  int first;  ///< the team's first lane in its group
  int lane;   ///< this lane of its row
  int row;    ///< which of the rows this lane reads

  __device__ explicit TeamLane(const BagTeams& teams)
      : size(1 << teams.team_bits),
        lanes(1 << teams.row_bits),
        rows(1 << (teams.team_bits - teams.row_bits)),
        self(static_cast<int>(threadIdx.x) & (size - 1)),
        first((static_cast<int>(threadIdx.x) & (kLanes - 1)) - self),
        lane(self & (lanes - 1)),
        row(self >> teams.row_bits) {}

  /// The number of lane `source` of the team.
  template <class Number>
  __device__ Number from(Number number, int source) const {
    return shuffle(number, first + source);
  }
  /// The largest number of all teams of the group: they take the same turns, because they shuffle.
  __device__ int most(int number) const { return most_of_group(number); }
  __device__ int64_t most(int64_t number) const {
    for (int mask = kLanes / 2; mask >= size; mask /= 2) {
      const int64_t other = shuffle_xor(number, mask);
      number = other > number ? other : number;
    }
    return number;
  }
  /// Adds up each of the numbers over the lanes with the same columns.
  template <int kNumbers>
  __device__ void over_rows(float (&numbers)[kNumbers]) const {
    over(numbers, size / 2, lanes);
  }
  /// Adds up each of the numbers over the lanes that read the same row.
  template <int kNumbers>
  __device__ void over_lanes(float (&numbers)[kNumbers]) const {
    over(numbers, lanes / 2, 1);
  }
  /// The sum over the lanes of the team.
  __device__ float over_team(float number) const {
    for (int mask = size / 2; mask > 0; mask /= 2) number += shuffle_xor(number, mask);
    return number;
  }

 private:
  template <int kNumbers>
  __device__ static void over(float (&numbers)[kNumbers], int most, int least) {
    for (int mask = most; mask >= least; mask /= 2) {
      PW_UNROLL
      for (int k = 0; k < kNumbers; ++k) numbers[k] += shuffle_xor(numbers[k], mask);
    }
  }
};

}  // namespace pinwheel::gpu
