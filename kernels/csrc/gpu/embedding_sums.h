#pragma once

// How the threads of a block add up gradients: in teams of a power of two of lanes, enough for the
// widest table at 4 columns per lane, up to a whole group of 32.

#include "gpu/device.h"
#include "gpu/quad.h"
#include "units/embedding_units.h"

namespace pinwheel::gpu {

/// The smallest chunk of a run that is summed separately.
constexpr int64_t kLeastChunk = 256;

/// The plan, the same for all blocks.
struct UpdatePlan {
  int64_t stride = 0;  ///< elements in a partial sum
  int64_t chunk = 0;   ///< positions in a partial sum
  int lanes = 0;       ///< lanes of a team

  __device__ explicit UpdatePlan(const int64_t* plan)
      : stride(plan[0]), chunk(plan[1]), lanes(static_cast<int>(plan[2])) {}
};

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

  /// Adds the sum over sorted positions [first, last) for up to 4 columns from `column` on. Four
  /// rows are in flight at a time; they are added in order.
  __device__ void add(Quad& sum, int64_t first, int64_t last, int64_t column) const {
    constexpr int kAtOnce = 4;
    for (int64_t i = first; i < last; i += kAtOnce) {
      Quad quads[kAtOnce];
      float factors[kAtOnce];
      for (int k = 0; k < kAtOnce; ++k) {
        factors[k] = 0;
        if (i + k >= last) continue;
        const GradientShare share = shares[order[i + k]];
        factors[k] = share.factor;
        quads[k] = load_quad(grad + share.grad_row * stride + column, columns - column, aligned);
      }
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
