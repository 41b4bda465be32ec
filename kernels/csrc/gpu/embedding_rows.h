#pragma once

// How a GPU updates rows of embedding tables once positions are sorted by row; included by each
// optimizer's family. See embedding_update.cu.

#include "gpu/embedding_simple_rows.h"
#include "gpu/embedding_sums.h"
#include "gpu/embedding_update.h"

namespace pinwheel::gpu {

/// Sorted positions that a block processes together: few, so that small batches use many blocks
/// too.
constexpr int kTile = 64;
/// Quads of a row that a thread keeps between passes, besides its first.
constexpr int kKept = 3;

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
  int known = 0;  ///< quads of this thread whose sum is already known

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

  __device__ Quad gradient(int k, int64_t column) {
    if (k < known && k == 0) return first;
    if (k < known && k <= kKept) return kept[(k - 1) * kThreads];
    Quad sum = {};
    sums(sum, column);
    if (k == 0) first = sum;
    if (k > 0 && k <= kKept) kept[(k - 1) * kThreads] = sum;
    if (k >= known) known = k + 1;
    return sum;
  }

  /// Calls `body(new, column)` with `changed` for each quad of this thread.
  template <class Body>
  __device__ void each(float a, float b, const Body& body) {
    int k = 0;
    for (int64_t column = 4 * lane; column < place.columns; column += 4 * lanes, ++k) {
      // In flight while the gradients are added up.
      const Quad old = load_quad(row + column, place.columns - column, aligned);
      const Quad sum = gradient(k, column);
      body(changed(old, a, sum, b), column);
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
      const bool steps = active && lane == 0;
      const float before = steps ? rule.state(place.momentum_at) : 0;
      const float sum = squares(active, rule.decay_in_squares(), 1);
      if (steps) step = rule.step(place.momentum_at, before, sum, place.columns);
      step = step_from(step, static_cast<int>(threadIdx.x) % kLanes - lane);
    } else {
      step = rule.step(place.momentum_at, 0, 0, place.columns);
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

/// A sum that was stored before.
struct WrittenSum {
  const float* sum;

  __device__ void operator()(Quad& quad, int64_t column) const {
    quad = load_quad(sum + column, 4, true);
  }
};

/// A row whose run of sorted positions starts in a tile.
struct RowRun {
  int64_t columns;
  int64_t weights_at;
  int64_t momentum_at;
  int64_t grad_at;
  int64_t last;  ///< end of the run; -1 if it is left to long_rows_kernel
  int first;     ///< position in the tile

  __device__ RowPlace place() const {
    RowPlace place;
    place.columns = columns;
    place.weights_at = weights_at;
    place.momentum_at = momentum_at;
    place.grad_at = grad_at;
    return place;
  }
};

/// The sorted positions of a tile, read once by one thread each, in shared memory.
struct RowTile {
  GradientShare shares[kTile];
  RowRun runs[kTile];
  uint32_t starts[kTile / kLanes];  ///< positions where a run starts, as bits

  /// How many runs start before position `end` of the tile.
  __device__ int runs_before(int end) const {
    int count = 0;
    for (int group = 0; group < kTile / kLanes; ++group) {
      const int bits = end - group * kLanes;
      const uint32_t mask = bits >= kLanes ? ~0u : bits > 0 ? (1u << bits) - 1 : 0;
      count += count_of_bits(starts[group] & mask);
    }
    return count;
  }
};

/// Reads the tile from position `begin` on; returns the number of runs. All threads of the block
/// must call it.
__device__ inline int read_tile(const RowUpdate& job, const SortedRows& sorted, int64_t chunk,
                                int64_t begin, RowTile& tile) {
  const KeyList keys{sorted.keys, sorted.of.wide};
  const int self = static_cast<int>(threadIdx.x);
  const int64_t i = begin + self;
  int64_t key = keys.none();
  bool starts = false;
  GradientShare share{0, 0.0f, 0};
  __syncthreads();  // other threads may still read the last tile
  if (self < kTile) {
    if (i < sorted.count) key = keys[i];
    starts = key != keys.none() && (i == 0 || keys[i - 1] != key);
    if (key != keys.none()) share = sorted.of.shares[sorted.order[i]];
    tile.shares[self] = share;
    const uint32_t lanes = lanes_where(starts);
    if (self % kLanes == 0) tile.starts[self / kLanes] = lanes;
  }
  __syncthreads();
  if (starts) {
    const RowPlace place = place_of(job, sorted.of, key, share.table);
    const int64_t last = short_run_end(keys, chunk, i, i + 1, sorted.count);
    tile.runs[tile.runs_before(self)] =
        RowRun{place.columns, place.weights_at, place.momentum_at, place.grad_at, last, self};
  }
  __syncthreads();
  return tile.runs_before(kTile);
}

/// Gradients that are added up directly, the first ones from the tile.
template <class Grad>
struct TileSums {
  const RowTile& tile;
  RowGradients<Grad> gradients;
  int64_t begin;  ///< of the tile
  int first;      ///< in the tile
  int64_t last;

  __device__ void operator()(Quad& sum, int64_t column) const {
    const int64_t rest = begin + kTile;
    const int end = last < rest ? static_cast<int>(last - begin) : kTile;
    gradients.add_shares(sum, first, end, column, [&](int at) { return tile.shares[at]; });
    if (last > rest) gradients.add(sum, rest, last, column);
  }
};

/// Blocks per multiprocessor that registers must suffice for. nvcc uses more registers for newer
/// devices and would spill there.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
constexpr int kShortRowBlocks = 1;
#else
constexpr int kShortRowBlocks = 3;
#endif

/// Few, because all of them usually have nothing to do.
constexpr int64_t kMostShortRowBlocks = 2048;

/// One team per row, for tables that simple_rows_kernel does not update.
template <class Grad, class Weight, class Rule>
__global__ void __launch_bounds__(kThreads, kShortRowBlocks)
    short_rows_kernel(RowUpdate job, SortedRows sorted, Rule rule) {
  __shared__ RowTile tile;
  __shared__ Quad kept[kKept * kThreads];
  const UpdatePlan plan(sorted.plan);
  if (are_simple<Grad, Weight>(job, plan, rule)) return;
  const int teams = kThreads / plan.lanes;
  const int team = static_cast<int>(threadIdx.x) / plan.lanes;
  for (int64_t begin = int64_t{blockIdx.x} * kTile; begin < sorted.count;
       begin += int64_t{gridDim.x} * kTile) {
    const int runs = read_tile(job, sorted, plan.chunk, begin, tile);
    for (int turn = 0; turn < runs; turn += teams) {
      const bool inside = turn + team < runs;
      const RowRun& run = tile.runs[inside ? turn + team : 0];
      const RowPlace place = run.place();
      const TileSums<Grad> sums{tile, RowGradients<Grad>(job, sorted, place), begin, run.first,
                                run.last};
      RowChange<Weight, Rule, TileSums<Grad>>(rule, place, sums, static_cast<Weight*>(job.weights),
                                              plan.lanes, kept + threadIdx.x)
          .run(inside && run.last >= 0);
    }
  }
}

/// One block per row that has whole chunks: it adds the positions before them, the chunks' sums and
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
  each_chunk_of_one_row<true>(plan, keys, [&](int64_t c) {
    const int64_t begin = c * plan.chunk;
    const int64_t key = keys[begin];
    const int64_t first = keys.after(key - 1, c > 0 ? begin - plan.chunk : 0, begin);
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
    if (threadIdx.x >= kLanes) return;
    // Each thread reads only what it wrote itself.
    RowChange<Weight, Rule, WrittenSum>(rule, place, WrittenSum{whole},
                                        static_cast<Weight*>(job.weights), plan.lanes,
                                        kept + threadIdx.x)
        .run(team == 0);
  });
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
      const int length = simple_tile_for(sorted.count);
      launch("tbe_backward simple rows", &simple_rows_kernel<Grad, Weight, Rule>,
             blocks_for(sorted.count, int64_t{kGroups} * length), stream, job, sorted, rule,
             length);
      launch("tbe_backward rows", &short_rows_kernel<Grad, Weight, Rule>,
             std::min(kMostShortRowBlocks, blocks_for(sorted.count, kTile)), stream, job, sorted,
             rule);
      if (chunks == 0) return;
      launch("tbe_backward long rows", &long_rows_kernel<Grad, Weight, Rule>,
             blocks_for(chunks, kChunksPerBlock), stream, job, sorted, rule);
    });
  });
}

}  // namespace pinwheel::gpu
