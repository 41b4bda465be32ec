#pragma once

// Updates rows that start and end at multiples of 4 elements, which are the usual ones, one quad
// per lane at a time. Only rules that need one pass take rows wider than a quad per lane. A group
// of lanes reads a tile of sorted positions with one lane per position, so that it waits for the
// chain of key, order, share and table once per tile. Most runs have one position: each team loads
// the first gradient and the row of several runs before it uses any of them.

#include "gpu/embedding_sums.h"

namespace pinwheel::gpu {

/// Rows that a team has in flight together.
constexpr int kRunsAtOnce = 2;

/// Further gradients of a run that are in flight together: those at positions of the tile, and
/// those past its end, whose shares are loaded too. There are not enough registers for more.
constexpr int kOthersAtOnce = 2;
constexpr int kFartherAtOnce = 3;

/// The sum over the lanes of each team, in all of its lanes. All lanes of the group must call it.
__device__ inline float sum_over_lanes(float number, int lanes) {
  for (int mask = lanes / 2; mask > 0; mask /= 2) number += shuffle_xor(number, mask);
  return number;
}

/// The step of lane `first` of the group, the first lane of this lane's team. All lanes of the
/// group must call it.
__device__ inline RowStep step_from(const RowStep& step, int first) {
  return RowStep{shuffle(step.keep, first), shuffle(step.step, first)};
}

/// a * row + b * gradient; if `a` is 0 the row is ignored, even if it is not finite.
__device__ inline Quad changed(const Quad& row, float a, const Quad& gradient, float b) {
  Quad result;
  for (int c = 0; c < 4; ++c) result.n[c] = (a == 0 ? 0 : a * row.n[c]) + b * gradient.n[c];
  return result;
}

__device__ inline float sum_of_squares(const Quad& quad) {
  float sum = 0;
  for (int c = 0; c < 4; ++c) sum += quad.n[c] * quad.n[c];
  return sum;
}

/// Whether columns can be updated independently of each other.
template <class Rule>
__device__ bool one_pass(const Rule& rule) {
  return !Rule::kNeedsSquares && !(rule.max_norm > 0);
}

/// Whether simple_rows_kernel updates the rows of all tables; otherwise short_rows_kernel does.
template <class Grad, class Weight, class Rule>
__device__ bool are_simple(const RowUpdate& job, const UpdatePlan& plan, const Rule& rule) {
  return plan.in_quads && (one_pass(rule) || plan.stride <= 4 * plan.lanes) &&
         in_quads(static_cast<const Weight*>(job.weights), 0, 0, 0) &&
         in_quads(static_cast<const Grad*>(job.grad), 0, job.grad_columns, 0);
}

/// How many of `count` positions make a tile: fewer in small batches, so that enough groups work.
inline int simple_tile_for(int64_t count) {
  constexpr int kLeast = 4;
  constexpr int64_t kGroupsOfGpu = 8192;
  int length = kLanes;
  while (length > kLeast && count / length < kGroupsOfGpu) length /= 2;
  return length;
}

/// A row whose run of sorted positions starts in a tile. Positions count from the tile's first.
struct alignas(16) SimpleRun {
  int64_t weights_at;
  int64_t grad_from;  ///< the element of the first gradient
  int32_t columns;
  int32_t first;
  float factor;  ///< of the first gradient
  float state;   ///< of the rule, before the update
  int64_t end;   ///< end of the run; -1 if it is left to long_rows_kernel
  int64_t grad_at;
  int64_t momentum_at;
};

/// In shared memory, one per group.
struct SimpleTile {
  GradientShare shares[kLanes];
  SimpleRun runs[kLanes];
};

/// The end of the run that starts at `first` and includes position `from` - 1, or -1 if it contains
/// a whole chunk, so that long_rows_kernel updates it. Most runs are short.
__device__ inline int64_t short_run_end(const KeyList& keys, int64_t chunk, int64_t first,
                                        int64_t from, int64_t count) {
  constexpr int64_t kFew = 4;
  const int64_t key = keys[first];
  const int64_t whole = ((first + chunk - 1) & -chunk) + chunk;
  const int64_t limit = whole < count ? whole : count;
  int64_t end = from;
  PW_ROLLED
  while (end < limit && end < from + kFew && keys[end] == key) ++end;
  if (end >= from + kFew) end = keys.after(key, end, limit);
  return end < whole ? end : -1;
}

/// What one group does with a tile.
template <class Grad, class Weight, class Rule>
struct SimpleRows {
  const RowUpdate& job;
  const SortedRows& sorted;
  const Rule& rule;
  SimpleTile& tile;
  int lanes;      ///< of a team
  int widest;     ///< columns of the widest row
  int length;     ///< positions of the tile
  int64_t begin;  ///< of the tile

  int lane;   ///< this lane of its team
  int team;   ///< of the group
  int teams;  ///< of the group

  /// Reads the tile; returns the number of runs. All lanes of the group must call it.
  __device__ int read() const {
    const KeyList keys{sorted.keys, sorted.of.wide};
    const int self = static_cast<int>(threadIdx.x) % kLanes;
    const int64_t i = begin + self;
    const bool inside = self < length && i < sorted.count;
    const int64_t key = inside ? keys[i] : keys.none();
    const int64_t before = inside && i > 0 ? keys[i - 1] : keys.none();
    const int64_t position = inside ? sorted.order[i] : 0;
    const bool starts = key != keys.none() && before != key;
    const uint32_t uses = lanes_where(key != keys.none());
    const uint32_t heads = lanes_where(starts);
    if (heads == 0) return 0;
    sync_group();  // other lanes may still read the last tile
    if (key != keys.none()) {
      const float state = starts ? rule.state(key) : 0;
      const GradientShare share = sorted.of.shares[position];
      tile.shares[self] = share;
      if (starts) {
        SimpleRun& run = tile.runs[count_of_bits(heads & ((1u << self) - 1))];
        run.end = end_of(keys, uses, heads);
        const RowPlace place = place_of(job, sorted.of, key, share.table);
        run.weights_at = place.weights_at;
        run.grad_from = place.grad_at + share.grad_row * job.grad_columns;
        run.columns = static_cast<int32_t>(place.columns);
        run.first = self;
        run.factor = share.factor;
        run.state = state;
        run.grad_at = place.grad_at;
        run.momentum_at = place.momentum_at;
      }
    }
    sync_group();
    return count_of_bits(heads);
  }

  /// Updates the rows of the tile's `count` runs. All lanes of the group must call it.
  __device__ void update(int count) const {
    const int stop = one_pass(rule) ? widest : 1;
    PW_ROLLED
    for (int turn = 0; turn < count; turn += kRunsAtOnce * teams) {
      PW_ROLLED
      for (int start = 0; start < stop; start += 4 * lanes) {
        update_at_once(turn, count, start + 4 * lane);
      }
    }
  }

 private:
  /// The end of the run that starts at this lane.
  __device__ int64_t end_of(const KeyList& keys, uint32_t uses, uint32_t heads) const {
    const int self = static_cast<int>(threadIdx.x) % kLanes;
    const uint32_t later = heads & ~((2u << self) - 1);
    if (later != 0) return highest_bit(later & (~later + 1));
    const int end = highest_bit(uses) + 1;
    if (end < length) return end;
    const int64_t last = short_run_end(keys, UpdatePlan(sorted.plan).chunk, begin + self,
                                       begin + length, sorted.count);
    return last < 0 ? -1 : last - begin;
  }

  __device__ void update_at_once(int turn, int count, int column) const {
    Weight* const weights = static_cast<Weight*>(job.weights) + column;
    const Grad* const grad = static_cast<const Grad*>(job.grad) + column;
    Quad olds[kRunsAtOnce];
    Quad sums[kRunsAtOnce];
    bool active[kRunsAtOnce];
    PW_UNROLL
    for (int k = 0; k < kRunsAtOnce; ++k) {
      const int number = turn + k * teams + team;
      const SimpleRun& run = tile.runs[number < count ? number : 0];
      active[k] = number < count && run.end >= 0 && column < run.columns;
      if (!active[k]) continue;
      olds[k] = load_quad(weights + run.weights_at, 4, true);
      sums[k] = load_quad(grad + run.grad_from, 4, true);
    }
    PW_UNROLL
    for (int k = 0; k < kRunsAtOnce; ++k) {
      const int number = turn + k * teams + team;
      const SimpleRun& run = tile.runs[number < count ? number : 0];
      if (active[k]) add_gradients(run, column, sums[k]);
      const RowStep step = step_of(run, active[k], column, olds[k], sums[k]);
      if (!active[k]) continue;
      store_quad(weights + run.weights_at, changed(olds[k], step.keep, sums[k], -step.step), 4,
                 true);
    }
  }

  /// Turns the first gradient of a run into the sum of all, in order.
  __device__ void add_gradients(const SimpleRun& run, int column, Quad& sum) const {
    for (int c = 0; c < 4; ++c) sum.n[c] = 0.0f + run.factor * sum.n[c];
    if (run.end <= run.first + 1) return;
    const RowGradients<Grad> gradients(job, sorted, run.grad_at);
    const int end = run.end < length ? static_cast<int>(run.end) : length;
    gradients.template add_shares<kOthersAtOnce>(sum, run.first + 1, end, column,
                                                 [&](int at) { return tile.shares[at]; });
    if (run.end <= length) return;
    gradients.template add<kFartherAtOnce>(sum, begin + length, begin + run.end, column);
  }

  /// All lanes of the group must call it.
  __device__ RowStep step_of(const SimpleRun& run, bool active, int column, const Quad& old,
                             const Quad& sum) const {
    RowStep step{0, 0};
    if (Rule::kNeedsSquares) {
      const float decay = rule.decay_in_squares();
      const float own = active ? sum_of_squares(changed(old, decay, sum, 1)) : 0;
      const float all = sum_over_lanes(own, lanes);
      if (active && column == 0) step = rule.step(run.momentum_at, run.state, all, run.columns);
      step = step_from(step, team * lanes);
    } else {
      step = rule.step(run.momentum_at, 0, 0, run.columns);
    }
    if (rule.max_norm > 0) {
      const float own = active ? sum_of_squares(changed(old, step.keep, sum, -step.step)) : 0;
      step = within_norm(step, sum_over_lanes(own, lanes), rule.max_norm);
    }
    return step;
  }
};

/// Blocks per multiprocessor that registers must suffice for.
constexpr int kSimpleRowBlocks = 3;

/// One group per tile of `length` positions.
template <class Grad, class Weight, class Rule>
__global__ void __launch_bounds__(kThreads, kSimpleRowBlocks)
    simple_rows_kernel(RowUpdate job, SortedRows sorted, Rule rule, int length) {
  __shared__ SimpleTile tiles[kGroups];
  const UpdatePlan plan(sorted.plan);
  if (!are_simple<Grad, Weight>(job, plan, rule)) return;
  const int lanes = plan.lanes;
  const int self = static_cast<int>(threadIdx.x);
  const int group = self / kLanes;
  for (int64_t begin = (int64_t{blockIdx.x} * kGroups + group) * length; begin < sorted.count;
       begin += int64_t{gridDim.x} * kGroups * length) {
    const SimpleRows<Grad, Weight, Rule> rows{job,           sorted,
                                              rule,          tiles[group],
                                              lanes,         static_cast<int>(plan.stride),
                                              length,        begin,
                                              self % lanes,  self % kLanes / lanes,
                                              kLanes / lanes};
    rows.update(rows.read());
  }
}

}  // namespace pinwheel::gpu
