#pragma once

// What one GPU thread does for a pack of columns; see jagged_units.h.

#include "index/split.h"
#include "jobs/jagged_vector.h"
#include "units/pack.h"

namespace pinwheel {

/// Sums of `kElements` adjacent columns.
template <class Element, int kElements>
struct ColumnSums {
  Wide<Element> at[kElements] = {};

  PW_HD void add(Wide<Element> weight, const Pack<Element, kElements>& numbers) {
    PW_UNROLL
    for (int k = 0; k < kElements; ++k) {
      at[k] += weight * static_cast<Wide<Element>>(to_float(numbers.at[k]));
    }
  }
  PW_HD Pack<Element, kElements> packed() const {
    Pack<Element, kElements> result;
    for (int k = 0; k < kElements; ++k) from_float(at[k], result.at[k]);
    return result;
  }
};

/// Part of pack `pack` of vector `vector` of the result: rows part, part + parts, ...
template <class Element, int kElements, class Index>
PW_HD ColumnSums<Element, kElements> vector_times_jagged_part(
    const VectorTimesJaggedJob<Index>& job, int64_t vector, int64_t pack, int part, int parts) {
  using Words = Pack<Element, kElements>;
  constexpr int kAhead = 4;  // rows loaded before the first of them is added
  const JaggedVectorShape<Index>& shape = job.shape;
  const int64_t packs = shape.columns / kElements;
  const int64_t stride = shape.heads * packs;
  const Split head = split(vector, shape.heads);
  const Run run = run_in(shape.jagged, 0, head.quotient);
  const Element* const v = static_cast<const Element*>(job.v) + vector * shape.jagged.max_length[0];
  const Words* const values =
      static_cast<const Words*>(job.values) + run.begin * stride + head.rest * packs + pack;
  ColumnSums<Element, kElements> sums;
  for (int64_t l = part; l < run.length; l += kAhead * parts) {
    Words rows[kAhead] = {};
    Element weights[kAhead] = {};
    PW_UNROLL
    for (int k = 0; k < kAhead; ++k) {
      if (l + k * parts >= run.length) continue;
      rows[k] = load_whole(values + (l + k * parts) * stride);
      weights[k] = v[l + k * parts];
    }
    PW_UNROLL
    for (int k = 0; k < kAhead; ++k) {
      if (l + k * parts < run.length) sums.add(to_float(weights[k]), rows[k]);
    }
  }
  return sums;
}

/// The dot products of the gradient of a vector and its value rows.
template <class Element, int kElements>
struct DotProducts {
  using Words = Pack<Element, kElements>;

  const Words* gradient;  ///< of the vector
  const Words* values;    ///< of the vector's head in its first value row
  int64_t stride;         ///< packs of a value row
  int64_t packs;          ///< of a head
  int64_t length;         ///< value rows

  template <class Index>
  PW_HD DotProducts(const VectorGradientJob<Index>& job, int64_t vector) {
    const JaggedVectorShape<Index>& shape = job.shape;
    const Split head = split(vector, shape.heads);
    const Run run = run_in(shape.jagged, 0, head.quotient);
    packs = shape.columns / kElements;
    stride = shape.heads * packs;
    length = run.length;
    gradient = static_cast<const Words*>(job.gradient) + vector * packs;
    values = static_cast<const Words*>(job.values) + run.begin * stride + head.rest * packs;
  }

  /// Adds to `sums[k]` the products with value row l + k * step, over packs lane, lane + lanes, ...
  template <int kRows>
  PW_HD void add(int64_t l, int step, int lane, int lanes, Wide<Element> (&sums)[kRows]) const {
    for (int64_t p = lane; p < packs; p += lanes) {
      const Words factor = load_whole(gradient + p);
      Words rows[kRows] = {};
      PW_UNROLL
      for (int k = 0; k < kRows; ++k) {
        if (l + k * step < length) rows[k] = load_whole(values + (l + k * step) * stride + p);
      }
      PW_UNROLL
      for (int k = 0; k < kRows; ++k) sums[k] += dot(factor, rows[k]);
    }
  }

 private:
  PW_HD static Wide<Element> dot(const Words& a, const Words& b) {
    Wide<Element> sum = 0;
    PW_UNROLL
    for (int k = 0; k < kElements; ++k) {
      sum += static_cast<Wide<Element>>(to_float(a.at[k])) *
             static_cast<Wide<Element>>(to_float(b.at[k]));
    }
    return sum;
  }
};

/// The operands of pack `pack` of the gradient of a head of a value row: a pack of the result's
/// gradient and a weight. `place.group` is the vector that holds the weight, `place.within` the
/// weight's position in it; a head has `packs` packs.
template <class Element, int kElements>
struct WeightedPack {
  using Words = Pack<Element, kElements>;

  Words gradient = {};
  Element weight = {};
  bool used = false;

  PW_HD WeightedPack() {}
  template <class Index>
  PW_HD WeightedPack(const JaggedGradientJob<Index>& job, const DensePlace& place, int64_t packs,
                     int64_t pack) {
    if (place.group < 0) return;
    const int64_t at = place.group * job.shape.jagged.max_length[0] + place.within;
    weight = static_cast<const Element*>(job.v)[at];
    gradient = load_whole(static_cast<const Words*>(job.gradient) + place.group * packs + pack);
    used = true;
  }

  PW_HD Words product() const {
    if (!used) return Words{};
    ColumnSums<Element, kElements> sums;
    sums.add(to_float(weight), gradient);
    return sums.packed();
  }
};

}  // namespace pinwheel
