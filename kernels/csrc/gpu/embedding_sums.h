#pragma once

// How the threads of a block add up gradients: in teams of a power of two of lanes, enough for the
// widest table at 4 columns per lane, up to a whole group of 32.

#include "gpu/device.h"
#include "gpu/quad.h"
#include "units/embedding_units.h"

namespace pinwheel::gpu {

/// The smallest chunk of a run that is summed separately. A power of 2, as all chunks are.
constexpr int64_t kLeastChunk = 64;

/// The plan, the same for all blocks.
struct UpdatePlan {
  int64_t stride = 0;  ///< elements in a partial sum
  int64_t chunk = 0;   ///< positions in a partial sum
  int64_t chunks = 0;  ///< number of chunks
  int lanes = 0;       ///< lanes of a team
  bool in_quads;       ///< whether rows of all tables start and end at multiples of 4 elements

  __device__ explicit UpdatePlan(const int64_t* plan)
      : stride(plan[0]),
        chunk(plan[1]),
        chunks(plan[2]),
        lanes(static_cast<int>(plan[3])),
        in_quads(plan[4] != 0) {}
};

/// A block looks at this many chunks, a grid apart: the chunks of one row go to different blocks.
constexpr int kChunksPerBlock = 8;

/// Calls `body(c)` for each of the block's chunks c whose positions all look up one row: all of
/// them, or with `kFirst` only the first one of each row. The lanes look at one chunk each.
template <bool kFirst, class Body>
__device__ void each_chunk_of_one_row(const UpdatePlan& plan, const KeyList& keys,
                                      const Body& body) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (int64_t from = blockIdx.x; from < plan.chunks; from += int64_t{gridDim.x} * kLanes) {
    const int64_t own = from + int64_t{gridDim.x} * lane;
    bool holds = false;
    if (own < plan.chunks) {
      const int64_t begin = own * plan.chunk;
      const int64_t key = keys[begin];
      holds = key != keys.none() && keys[begin + plan.chunk - 1] == key;
      if (kFirst && own > 0 && keys[begin - plan.chunk] == key) holds = false;
    }
    for (uint32_t left = lanes_where(holds); left != 0; left &= left - 1) {
      body(from + int64_t{gridDim.x} * highest_bit(left & (~left + 1)));
    }
  }
}

/// The gradients of one row.
template <class Grad>
struct RowGradients {
  const Grad* grad = nullptr;  ///< the row's first column in gradient row 0
  int64_t stride = 0;
  int64_t columns = 0;
  bool aligned = false;
  const int64_t* order = nullptr;
  const GradientShare* shares = nullptr;

  __device__ RowGradients(const RowUpdate& job, const SortedRows& sorted, const RowPlace& place)
      : grad(static_cast<const Grad*>(job.grad) + place.grad_at),
        stride(job.grad_columns),
        columns(place.columns),
        aligned(in_quads(static_cast<const Grad*>(job.grad), place.grad_at, stride, columns)),
        order(sorted.order),
        shares(sorted.of.shares) {}

  /// For rows that are known to be aligned, from element `grad_at` of gradient rows on.
  __device__ RowGradients(const RowUpdate& job, const SortedRows& sorted, int64_t grad_at)
      : grad(static_cast<const Grad*>(job.grad) + grad_at),
        stride(job.grad_columns),
        aligned(true),
        order(sorted.order),
        shares(sorted.of.shares) {}

  /// The share of a sorted position.
  __device__ GradientShare share(int64_t position) const { return shares[order[position]]; }

  /// Adds the sum over sorted positions [first, last) for up to 4 columns from `column` on.
  template <int kAtOnce = 4>
  __device__ void add(Quad& sum, int64_t first, int64_t last, int64_t column) const {
    add_shares<kAtOnce>(sum, first, last, column,
                        [&](int64_t position) { return share(position); });
  }

  /// The same for the shares `share_at(first)` to `share_at(last - 1)`. `kAtOnce` rows are in
  /// flight at a time; they are added in order.
  template <int kAtOnce = 4, class Position, class ShareAt>
  __device__ void add_shares(Quad& sum, Position first, Position last, int64_t column,
                             const ShareAt& share_at) const {
    PW_ROLLED
    for (Position i = first; i < last; i += kAtOnce) {
      Quad quads[kAtOnce];
      float factors[kAtOnce];
      PW_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        factors[k] = 0;
        if (i + k >= last) continue;
        const GradientShare share = share_at(i + k);
        factors[k] = share.factor;
        quads[k] = load_quad(grad + share.grad_row * stride + column, columns - column, aligned);
      }
      PW_UNROLL
      for (int k = 0; k < kAtOnce; ++k) {
        if (i + k >= last) continue;
        for (int c = 0; c < 4; ++c) sum.n[c] += factors[k] * quads[k].n[c];
      }
    }
  }
};

/// Part `part` of `parts` of [first, last), all but the last of equal length.
struct Part {
  int64_t first;
  int64_t last;

  __device__ Part(int64_t from, int64_t to, int64_t part, int64_t parts) {
    const int64_t each = (to - from + parts - 1) / parts;
    first = from + part * each < to ? from + part * each : to;
    last = first + each < to ? first + each : to;
  }
};

/// The sum over all teams, in order, for the threads of team 0. All threads of the block must call
/// it.
__device__ inline Quad sum_over_teams(const Quad& quad, const UpdatePlan& plan, Quad* room) {
  room[threadIdx.x] = quad;
  __syncthreads();
  Quad sum = quad;
  if (static_cast<int>(threadIdx.x) < plan.lanes) {
    for (int at = static_cast<int>(threadIdx.x) + plan.lanes; at < kThreads; at += plan.lanes) {
      for (int c = 0; c < 4; ++c) sum.n[c] += room[at].n[c];
    }
  }
  __syncthreads();  // before the next sum reuses the scratch memory
  return sum;
}

}  // namespace pinwheel::gpu
