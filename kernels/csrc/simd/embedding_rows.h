#pragma once

// The inner loop of the embedding optimizers: adds up the gradients of a row, then updates the row.
// Rows are scattered over a large memory, so they are prefetched well ahead.

#include "jobs/embedding_update.h"
#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// This many accumulators stay in registers.
constexpr int kSumVectors = 8;
/// How many occurrences ahead rows are prefetched.
constexpr int64_t kAhead = 12;

PW_SIMD void fetch_row(const void* from, int64_t bytes) {
  constexpr uintptr_t kLine = 64;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(from);
  for (uintptr_t line = begin & ~(kLine - 1); line < begin + bytes; line += kLine) {
    __builtin_prefetch(reinterpret_cast<const void*>(line));
  }
}

/// Columns [column, column + kVectors * kLanes) of the sum of the gradients of [first, last); with
/// `kPart`, only `lanes` of them.
template <int kVectors, bool kPart, class Grad, class Item>
PW_SIMD void sum_columns(const Grad* grad, int64_t stride, const Item* first, const Item* last,
                         int64_t column, int64_t lanes, float* sum) {
  Floats sums[kVectors];
  for (const Item* item = first; item < last; ++item) {
    const Grad* const at = grad + static_cast<int64_t>(item->grad_row) * stride + column;
    const Floats factor = splat(item->scale());
    for (int v = 0; v < kVectors; ++v) {
      const Floats numbers = kPart ? load_part(at, lanes) : load(at + v * kLanes);
      sums[v] = item == first ? numbers * factor : fma(numbers, factor, sums[v]);
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    if (kPart) {
      store_part(sum + column, sums[v], lanes);
    } else {
      store(sum + column + v * kLanes, sums[v]);
    }
  }
}

template <class Grad, class Item>
void sum_rows(const void* grad_at, int64_t stride, const void* first_at, const void* last_at,
              int64_t columns, float* sum) {
  const Grad* const grad = static_cast<const Grad*>(grad_at);
  const Item* const first = static_cast<const Item*>(first_at);
  const Item* const last = static_cast<const Item*>(last_at);
  int64_t c = 0;
  for (; c + kSumVectors * kLanes <= columns; c += kSumVectors * kLanes) {
    sum_columns<kSumVectors, false>(grad, stride, first, last, c, kLanes, sum);
  }
  for (; c + 2 * kLanes <= columns; c += 2 * kLanes) {
    sum_columns<2, false>(grad, stride, first, last, c, kLanes, sum);
  }
  for (; c + kLanes <= columns; c += kLanes) {
    sum_columns<1, false>(grad, stride, first, last, c, kLanes, sum);
  }
  if (c < columns) sum_columns<1, true>(grad, stride, first, last, c, columns - c, sum);
}

/// The sum of squares: `whole(c)` returns a vector from column c on, `part(c, count)` the last
/// `count` elements. Two accumulators, to break the dependency chain.
template <class Whole, class Part>
PW_SIMD float sum_of_squares(int64_t columns, const Whole& whole, const Part& part) {
  Floats one = splat(0);
  Floats other = splat(0);
  int64_t c = 0;
  for (; c + 2 * kLanes <= columns; c += 2 * kLanes) {
    const Floats low = whole(c);
    const Floats high = whole(c + kLanes);
    one = fma(low, low, one);
    other = fma(high, high, other);
  }
  for (; c + kLanes <= columns; c += kLanes) {
    const Floats low = whole(c);
    one = fma(low, low, one);
  }
  if (c < columns) {
    const Floats rest = part(c, columns - c);
    other = fma(rest, rest, other);
  }
  return sum_of(one + other);
}

/// The sum of squares of a * row + b * gradient.
template <class Weight>
PW_SIMD float squares_of(const Weight* row, const float* gradient, int64_t columns, float a,
                         float b) {
  const Floats of_row = splat(a);
  const Floats of_gradient = splat(b);
  return sum_of_squares(
      columns,
      [&](int64_t c) { return fma(load(row + c), of_row, load(gradient + c) * of_gradient); },
      [&](int64_t c, int64_t count) {
        return fma(load_part(row + c, count), of_row, load_part(gradient + c, count) * of_gradient);
      });
}

PW_SIMD float squares_of(const float* numbers, int64_t columns) {
  return sum_of_squares(
      columns, [&](int64_t c) { return load(numbers + c); },
      [&](int64_t c, int64_t count) { return load_part(numbers + c, count); });
}

/// Updates one row with the sum of its gradients.
template <class Weight, class Rule>
void change_row(const Rule& rule, int64_t momentum_at, void* row_at, const float* gradient,
                int64_t columns) {
  Weight* const row = static_cast<Weight*>(row_at);
  float squares = 0;
  if (Rule::kNeedsSquares) {
    const float decay = rule.decay_in_squares();
    squares =
        decay == 0 ? squares_of(gradient, columns) : squares_of(row, gradient, columns, decay, 1);
  }
  RowStep step = rule.step(momentum_at, rule.state(momentum_at), squares, columns);
  if (rule.max_norm > 0) {
    const float length = squares_of(row, gradient, columns, step.keep, -step.step);
    step = within_norm(step, length, rule.max_norm);
  }
  const Floats keep = splat(step.keep);
  const Floats back = splat(-step.step);
  int64_t c = 0;
  for (; c + kLanes <= columns; c += kLanes) {
    store(row + c, fma(load(gradient + c), back, load(row + c) * keep));
  }
  if (c < columns) {
    const int64_t rest = columns - c;
    const Floats gone = load_part(row + c, rest) * keep;
    store_part(row + c, fma(load_part(gradient + c, rest), back, gone), rest);
  }
}

/// Addresses and strides of the rows of a bucket and of its gradient.
struct BucketMemory {
  unsigned char* rows = nullptr;
  const unsigned char* grad = nullptr;
  int64_t row_bytes = 0;   ///< stride of rows
  int64_t grad_bytes = 0;  ///< stride of gradient rows
  int64_t row_used = 0;    ///< bytes used of a row
  int64_t grad_used = 0;   ///< bytes used of a gradient row
};

PW_SIMD BucketMemory memory_of(const RowUpdate& job, const RowBucket& bucket) {
  const int64_t weight = bytes_of(job.weights_dtype);
  const int64_t grad = bytes_of(job.grad_dtype);
  BucketMemory memory;
  memory.row_bytes = bucket.table.stride * weight;
  memory.rows = static_cast<unsigned char*>(job.weights) + bucket.table.first * weight +
                bucket.first_row * memory.row_bytes;
  memory.row_used = bucket.table.columns * weight;
  memory.grad = static_cast<const unsigned char*>(job.grad) + bucket.grad_at * grad;
  memory.grad_bytes = job.grad_columns * grad;
  memory.grad_used = bucket.table.columns * grad;
  return memory;
}

typedef void (*SumRows)(const void*, int64_t, const void*, const void*, int64_t, float*);

template <class Item>
SumRows sum_rows_of(FloatDtype dtype) {
  SumRows found = nullptr;
  with_float_type(dtype, [&](auto element) { found = &sum_rows<decltype(element), Item>; });
  return found;
}

template <class Rule>
using ChangeRow = void (*)(const Rule&, int64_t, void*, const float*, int64_t);

template <class Item, class Rule>
void change_rows(const RowUpdate& job, const Rule& rule, const RowBucket& bucket,
                 ChangeRow<Rule> change) {
  const SumRows sum_up = sum_rows_of<Item>(job.grad_dtype);
  const BucketMemory memory = memory_of(job, bucket);
  const int64_t columns = bucket.table.columns;
  // If a row has only one gradient, it need not be copied.
  const bool as_it_is = job.grad_dtype == FloatDtype::kFloat32 && !bucket.weighted;
  const Item* const begin = static_cast<const Item*>(bucket.occurrences);
  const Item* const end = begin + bucket.count;
  const Item* fetched = begin;
  for (const Item* first = begin; first < end;) {
    const Item* last = first + 1;
    while (last < end && last->row == first->row) ++last;
    const Item* const ahead = end - last > kAhead ? last + kAhead : end;
    for (; fetched < ahead; ++fetched) {
      fetch_row(memory.grad + fetched->grad_row * memory.grad_bytes, memory.grad_used);
      fetch_row(memory.rows + fetched->row * memory.row_bytes, memory.row_used);
    }
    const unsigned char* const grad = memory.grad + first->grad_row * memory.grad_bytes;
    const float* sum = reinterpret_cast<const float*>(grad);
    if (!as_it_is || last - first > 1) {
      sum_up(memory.grad, job.grad_columns, first, last, columns, bucket.sum);
      sum = bucket.sum;
    }
    change(rule, bucket.momentum_at + first->row, memory.rows + first->row * memory.row_bytes, sum,
           columns);
    first = last;
  }
}

template <class Rule>
void update_bucket(const RowUpdate& job, const Rule& rule, const RowBucket& bucket) {
  ChangeRow<Rule> change = nullptr;
  with_float_type(job.weights_dtype,
                  [&](auto element) { change = &change_row<decltype(element), Rule>; });
  if (bucket.weighted) {
    change_rows<WeightedOccurrence>(job, rule, bucket, change);
  } else {
    change_rows<Occurrence>(job, rule, bucket, change);
  }
}

}  // namespace
}  // namespace pinwheel::simd::PINWHEEL_ISA
