#pragma once

// How the threads of a block add up gradients: in teams of a power of two of lanes, enough for the
// widest table at 4 columns per lane, up to a whole group of 32.

#include "gpu/device.h"
#include "units/embedding_units.h"
#include "units/word.h"

namespace pinwheel::gpu {

/// 4 columns.
struct Quad {
  float n[4];
};

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

template <class Element>
struct QuadWord {
  using type = uint64_t;
};
template <>
struct QuadWord<float> {
  using type = Word16;
};

/// Loads `count` elements, 1 to 4, the rest 0; as one word if `aligned`, which requires 4.
template <class Element>
__device__ Quad load_quad(const Element* at, int64_t count, bool aligned) {
  Element elements[4] = {};
  if (aligned) {
    const auto word = *reinterpret_cast<const typename QuadWord<Element>::type*>(at);
    memcpy(elements, &word, sizeof(elements));
  } else {
    for (int k = 0; k < 4; ++k) {
      if (k < count) elements[k] = at[k];
    }
  }
  Quad quad;
  for (int k = 0; k < 4; ++k) quad.n[k] = to_float(elements[k]);
  return quad;
}

template <class Element>
__device__ void store_quad(Element* at, const Quad& quad, int64_t count, bool aligned) {
  Element elements[4];
  for (int k = 0; k < 4; ++k) from_float(quad.n[k], elements[k]);
  if (aligned) {
    typename QuadWord<Element>::type word;
    memcpy(&word, elements, sizeof(elements));
    *reinterpret_cast<typename QuadWord<Element>::type*>(at) = word;
  } else {
    for (int k = 0; k < 4; ++k) {
      if (k < count) at[k] = elements[k];
    }
  }
}

/// Whether rows of `columns` elements that start at `element`, with a stride of `stride`, can be
/// read 4 at a time.
template <class Element>
__device__ bool in_quads(const Element* from, int64_t element, int64_t stride, int64_t columns) {
  const int64_t odd = (element | stride | columns) % 4;
  return odd == 0 && reinterpret_cast<uintptr_t>(from) % (4 * sizeof(Element)) == 0;
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
