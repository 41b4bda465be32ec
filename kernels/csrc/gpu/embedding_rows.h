#pragma once

// How a GPU updates rows of embedding tables once positions are sorted by row; included by each
// optimizer's family. See embedding_update.cu.

#include "gpu/embedding_sums.h"
#include "gpu/embedding_update.h"

namespace pinwheel::gpu {

/// Sorted positions that a block processes together: few, so that small batches use many blocks
/// too.
constexpr int kTile = 64;
/// Quads of a row that a thread keeps between passes, besides its first.
constexpr int kKept = 3;

/// The sum over the lanes of each team, in all of its lanes. All lanes of the group must call it.
__device__ inline float sum_over_lanes(float number, int lanes) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) number += shuffle_xor(number, mask);
  return number;
}

/// One team updates one row in up to three passes over its columns: squares of the gradient, norm
/// of the new row, new row. Each pass needs the sum of the gradients again; its first quads are
/// kept. `Sums(quad, column)` adds the sum for the columns from `column` on.
template <class Weight, class Rule, class Sums>
struct RowChange {
  const Rule& rule;
  const RowPlace& place;
  const Sums& sums;
  Weight* row;
  bool aligned;
  int lane;
  int lanes;
  Quad* kept;  ///< this thread's quads, kThreads apart
  Quad first = {};
  int64_t known = 0;  ///< quads of this thread whose sum is already known

  __device__ RowChange(const Rule& rule_in, const RowPlace& place_in, const Sums& sums_in,
                       Weight* weights, int lanes_in, Quad* kept_in)
      : rule(rule_in),
        place(place_in),
        sums(sums_in),
        row(weights + place.weights_at),
        aligned(in_quads(weights, place.weights_at, 0, place.columns)),
        lane(static_cast<int>(threadIdx.x) % lanes_in),
        lanes(lanes_in),
        kept(kept_in) {}

  __device__ Quad gradient(int64_t k, int64_t column) {
    if (k < known && k == 0) return first;
    if (k < known && k <= kKept) return kept[(k - 1) * kThreads];
    Quad sum = {};
    sums(sum, column);
    if (k == 0) first = sum;
    if (k > 0 && k <= kKept) kept[(k - 1) * kThreads] = sum;
    if (k >= known) known = k + 1;
    return sum;
  }

  /// Calls `body(new, column)` with a * row + b * gradient for each quad of this thread; if `a` is
  /// 0 the row is ignored, even if it is not finite.
  template <class Body>
  __device__ void each(float a, float b, const Body& body) {
    int64_t k = 0;
    for (int64_t column = 4 * lane; column < place.columns; column += 4 * lanes, ++k) {
      // In flight while the gradients are added up.
      const Quad old = load_quad(row + column, place.columns - column, aligned);
      const Quad sum = gradient(k, column);
      Quad result;
      for (int c = 0; c < 4; ++c) result.n[c] = (a == 0 ? 0 : a * old.n[c]) + b * sum.n[c];
      body(result, column);
    }
  }

  /// The sum of squares of a * row + b * gradient over the row.
  __device__ float squares(bool active, float a, float b) {
    float sum = 0;
    if (active) {
      each(a, b, [&](const Quad& quad, int64_t) {
        for (int c = 0; c < 4; ++c) sum += quad.n[c] * quad.n[c];
      });
    }
    return sum_over_lanes(sum, lanes);
  }

  /// All lanes of the group must call it; `active` is false for lanes without a row.
  __device__ void run(bool active) {
    RowStep step{0, 0};
    if (Rule::kNeedsSquares) {
      const float sum = squares(active, rule.decay_in_squares(), 1);
      if (active && lane == 0) step = rule.step(place.momentum_at, sum, place.columns);
      step.keep = sum_over_lanes(step.keep, lanes);
      step.step = sum_over_lanes(step.step, lanes);
    } else {
      step = rule.step(place.momentum_at, 0, place.columns);
    }
    if (rule.max_norm > 0) {
      step = within_norm(step, squares(active, step.keep, -step.step), rule.max_norm);
    }
    if (!active) return;
    each(step.keep, -step.step, [&](const Quad& quad, int64_t column) {
      store_quad(row + column, quad, place.columns - column, aligned);
    });
  }
};

/// Gradients that are added up directly.
template <class Grad>
struct SumOfPlaces {
  RowGradients<Grad> gradients;
  int64_t first;
  int64_t last;

  __device__ void operator()(Quad& sum, int64_t column) const {
    gradients.add(sum, first, last, column);
  }
};

/// A sum that was stored before.
struct WrittenSum {
  const float* sum;

  __device__ void operator()(Quad& quad, int64_t column) const {
    quad = load_quad(sum + column, 4, true);
  }
};

/// The end of the run that starts at `first`. Most runs are short.
__device__ inline int64_t run_end(const KeyList& keys, int64_t first, int64_t count) {
  constexpr int64_t kFew = 4;
  const int64_t key = keys[first];
  int64_t end = first + 1;
  while (end < count && end < first + kFew && keys[end] == key) ++end;
  return end < first + kFew ? end : keys.after(key, end, count);
}

/// Whether a run contains a whole chunk and so is left to long_rows_kernel.
__device__ inline bool has_chunk(const UpdatePlan& plan, int64_t first, int64_t last) {
  return (first + plan.chunk - 1) / plan.chunk < last / plan.chunk;
}

/// Lists the positions within the tile from `begin` on where a row's run starts, in order; returns
/// their number. All threads of the block must call it.
__device__ inline int list_runs(const KeyList& keys, int64_t begin, int64_t count, int* starts) {
  __shared__ bool is_start[kTile];
  const int self = static_cast<int>(threadIdx.x);
  __syncthreads();  // other threads may still read the last tile's lists
  if (self < kTile) {
    const int64_t i = begin + self;
    const int64_t key = i < count ? keys[i] : keys.none();
    is_start[self] = key != keys.none() && (i == 0 || keys[i - 1] != key);
  }
  __syncthreads();
  int before = 0;
  int all = 0;
  for (int i = 0; i < kTile; ++i) {
    if (i < self) before += is_start[i];
    all += is_start[i];
  }
  if (self < kTile && is_start[self]) starts[before] = self;
  __syncthreads();
  return all;
}

/// One team per row.
template <class Grad, class Weight, class Rule>
__global__ void short_rows_kernel(RowUpdate job, SortedRows sorted, Rule rule) {
  __shared__ int starts[kTile];
  __shared__ Quad kept[kKept * kThreads];
  const UpdatePlan plan(sorted.plan);
  const KeyList keys{sorted.keys, sorted.of.wide};
  const int teams = kThreads / plan.lanes;
  const int team = static_cast<int>(threadIdx.x) / plan.lanes;
  const int64_t tiles = (sorted.count + kTile - 1) / kTile;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int runs = list_runs(keys, tile * kTile, sorted.count, starts);
    for (int turn = 0; turn < runs; turn += teams) {
      bool active = turn + team < runs;
      const int64_t first = tile * kTile + starts[active ? turn + team : 0];
      const int64_t last = run_end(keys, first, sorted.count);
      if (has_chunk(plan, first, last)) active = false;
      const int64_t table = sorted.of.shares[sorted.order[first]].table;
      const RowPlace place = place_of(job, sorted.of, keys[first], table);
      const SumOfPlaces<Grad> sums{RowGradients<Grad>(job, sorted, place), first, last};
      RowChange<Weight, Rule, SumOfPlaces<Grad>>(
          rule, place, sums, static_cast<Weight*>(job.weights), plan.lanes, kept + threadIdx.x)
          .run(active);
    }
  }
}

/// One block per row that has whole chunks: adds the positions before them, the chunks' sums and
/// the positions after. The total replaces the first chunk's sum.
template <class Grad, class Weight, class Rule>
__global__ void long_rows_kernel(RowUpdate job, SortedRows sorted, Rule rule) {
  __shared__ Quad room[kThreads];
  __shared__ Quad kept[kKept * kThreads];
  const UpdatePlan plan(sorted.plan);
  const KeyList keys{sorted.keys, sorted.of.wide};
  const int lane = static_cast<int>(threadIdx.x) % plan.lanes;
  const int team = static_cast<int>(threadIdx.x) / plan.lanes;
  const int teams = kThreads / plan.lanes;
  for (int64_t c = blockIdx.x; c < sorted.count / plan.chunk; c += gridDim.x) {
    const int64_t begin = c * plan.chunk;
    const int64_t key = keys[begin];
    if (key == keys.none() || keys[begin + plan.chunk - 1] != key) continue;
    const int64_t before = c > 0 ? begin - plan.chunk : 0;
    if (c > 0 && keys[before] == key) continue;  // not the first chunk of its row
    const int64_t first = keys.after(key - 1, before, begin);
    const int64_t last = keys.after(key, begin + plan.chunk, sorted.count);
    const int64_t table = sorted.of.shares[sorted.order[begin]].table;
    const RowPlace place = place_of(job, sorted.of, key, table);
    const RowGradients<Grad> gradients(job, sorted, place);
    const Part head(first, begin, team, teams);
    const Part chunks(c, last / plan.chunk, team, teams);
    const Part tail(last / plan.chunk * plan.chunk, last, team, teams);
    float* const whole = sorted.partials + c * plan.stride;
    for (int64_t start = 0; start < place.columns; start += 4 * plan.lanes) {
      const int64_t column = start + 4 * lane;
      Quad sum = {};
      if (column < place.columns) {
        gradients.add(sum, head.first, head.last, column);
        for (int64_t at = chunks.first; at < chunks.last; ++at) {
          const Quad part = load_quad(sorted.partials + at * plan.stride + column, 4, true);
          for (int k = 0; k < 4; ++k) sum.n[k] += part.n[k];
        }
        gradients.add(sum, tail.first, tail.last, column);
      }
      sum = sum_over_teams(sum, plan, room);
      if (team == 0 && column < place.columns) store_quad(whole + column, sum, 4, true);
    }
    if (threadIdx.x >= kLanes) continue;
    // Each thread reads only what it wrote itself.
    RowChange<Weight, Rule, WrittenSum>(rule, place, WrittenSum{whole},
                                        static_cast<Weight*>(job.weights), plan.lanes,
                                        kept + threadIdx.x)
        .run(team == 0);
  }
}

template <class Rule>
void change_rows(const RowUpdate& job, const SortedRows& sorted, const Rule& rule,
                 void* stream_in) {
  if (sorted.count == 0) return;
  const Stream stream = static_cast<Stream>(stream_in);
  const int64_t chunks = sorted.count / kLeastChunk;
  sum_chunks(job, sorted, stream_in);
  with_float_type(job.grad_dtype, [&](auto grad) {
    with_float_type(job.weights_dtype, [&](auto weight) {
      using Grad = decltype(grad);
      using Weight = decltype(weight);
      launch("tbe_backward rows", &short_rows_kernel<Grad, Weight, Rule>,
             blocks_for(sorted.count, kTile), stream, job, sorted, rule);
      if (chunks == 0) return;
      launch("tbe_backward long rows", &long_rows_kernel<Grad, Weight, Rule>, blocks_for(chunks, 1),
             stream, job, sorted, rule);
    });
  });
}

}  // namespace pinwheel::gpu
