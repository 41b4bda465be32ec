#pragma once

// What one GPU thread does for a pack of columns; see jagged_units.h.

#include "jobs/jagged_vector.h"
#include "units/pack.h"

namespace pinwheel {

/// Sums of `kElements` adjacent columns.
template <class Element, int kElements>
struct ColumnSums {
  Wide<Element> at[kElements] = {};

  PW_HD void add(Wide<Element> weight, const Pack<Element, kElements>& numbers) {
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

/// Pack `pack` of vector `vector` of the result.
template <class Element, int kElements, class Index>
PW_HD void vector_times_jagged_unit(const VectorTimesJaggedJob<Index>& job, int64_t vector,
                                    int64_t pack) {
  using Words = Pack<Element, kElements>;
  constexpr int kAhead = 4;  // rows loaded before the first of them is added
  const JaggedVectorShape<Index>& shape = job.shape;
  const int64_t packs = shape.columns / kElements;
  const int64_t stride = shape.heads * packs;
  const Run run = run_of(shape.jagged, vector / shape.heads);
  const Element* const v = static_cast<const Element*>(job.v) + vector * shape.jagged.max_length[0];
  const Words* const values = static_cast<const Words*>(job.values) + run.begin * stride +
                              vector % shape.heads * packs + pack;
  ColumnSums<Element, kElements> sums;
  int64_t l = 0;
  for (; l + kAhead <= run.length; l += kAhead) {
    Words rows[kAhead];
    for (int k = 0; k < kAhead; ++k) rows[k] = values[(l + k) * stride];
    for (int k = 0; k < kAhead; ++k) sums.add(to_float(v[l + k]), rows[k]);
  }
  for (; l < run.length; ++l) sums.add(to_float(v[l]), values[l * stride]);
  static_cast<Words*>(job.out)[vector * packs + pack] = sums.packed();
}

/// Part of entry `l` of vector `vector`: packs lane, lane + lanes, ...
template <class Element, int kElements, class Index>
PW_HD Wide<Element> vector_gradient_part(const VectorGradientJob<Index>& job, int64_t vector,
                                         int64_t l, int lane, int lanes) {
  using Words = Pack<Element, kElements>;
  const JaggedVectorShape<Index>& shape = job.shape;
  const int64_t packs = shape.columns / kElements;
  const Run run = run_of(shape.jagged, vector / shape.heads);
  Wide<Element> sum = 0;
  if (l >= run.length) return sum;
  const Words* const gradient = static_cast<const Words*>(job.gradient) + vector * packs;
  const Words* const row = static_cast<const Words*>(job.values) +
                           ((run.begin + l) * shape.heads + vector % shape.heads) * packs;
  for (int64_t p = lane; p < packs; p += lanes) {
    const Words a = gradient[p];
    const Words b = row[p];
    for (int k = 0; k < kElements; ++k) {
      sum += static_cast<Wide<Element>>(to_float(a.at[k])) *
             static_cast<Wide<Element>>(to_float(b.at[k]));
    }
  }
  return sum;
}

/// Unit i: pack number i of the values' gradient.
template <class Element, int kElements, class Index>
PW_HD void jagged_gradient_unit(const JaggedGradientJob<Index>& job, int64_t i) {
  using Words = Pack<Element, kElements>;
  const JaggedVectorShape<Index>& shape = job.shape;
  const int64_t packs = shape.columns / kElements;
  const int64_t max_length = shape.jagged.max_length[0];
  const int64_t place = dense_row_of(shape.jagged, i / (shape.heads * packs));
  Words result{};
  if (place >= 0) {
    const int64_t vector = place / max_length * shape.heads + i / packs % shape.heads;
    const Element weight =
        static_cast<const Element*>(job.v)[vector * max_length + place % max_length];
    ColumnSums<Element, kElements> product;
    product.add(to_float(weight),
                static_cast<const Words*>(job.gradient)[vector * packs + i % packs]);
    result = product.packed();
  }
  static_cast<Words*>(job.out)[i] = result;
}

}  // namespace pinwheel
