#pragma once

// What one GPU thread does for unit `i`: one pack of one row of the result; see jagged_units.h.

#include "index/split.h"
#include "jobs/jagged_elementwise.h"
#include "units/pack.h"

namespace pinwheel {

template <Combine how, class Element, int kElements>
PW_HD Pack<Element, kElements> combine_packs(const Pack<Element, kElements>& a,
                                             const Pack<Element, kElements>& b) {
  Pack<Element, kElements> result;
  for (int k = 0; k < kElements; ++k) {
    const Wide<Element> first = to_float(a.at[k]);
    const Wide<Element> second = to_float(b.at[k]);
    from_float(how == Combine::kAdd ? first + second : first * second, result.at[k]);
  }
  return result;
}

/// Pack `number` of the result: pack `pack` of a value row that dense row `dense_row`, or -1 for
/// none, holds.
template <Combine how, class Element, int kElements, class Index>
PW_HD Pack<Element, kElements> combined_value_pack(const CombineToJaggedJob<Index>& job,
                                                   int64_t number, int64_t dense_row,
                                                   int64_t pack) {
  using Words = Pack<Element, kElements>;
  const Words* const values = static_cast<const Words*>(job.values);
  if (dense_row < 0) return how == Combine::kAdd ? values[number] : Words{};
  const Words* const dense = static_cast<const Words*>(job.dense);
  const int64_t packs = job.row_elements / kElements;
  return combine_packs<how>(values[number], dense[dense_row * packs + pack]);
}

template <Combine how, class Element, int kElements, class Index>
PW_HD void combine_to_dense_unit(const CombineToDenseJob<Index>& job, int64_t i) {
  using Words = Pack<Element, kElements>;
  const int64_t packs = job.row_elements / kElements;
  const Split at = split(i, packs);
  const int64_t row = value_row_of(job.jagged, at.quotient);
  const Words* const values = static_cast<const Words*>(job.values);
  const Words* const other = static_cast<const Words*>(job.other);
  Words result = how == Combine::kAdd ? other[i] : Words{};
  if (row >= 0) {
    const int64_t from = row * packs + at.rest;
    result = combine_packs<how>(values[from], how == Combine::kAdd ? result : other[from]);
  }
  static_cast<Words*>(job.out)[i] = result;
}

}  // namespace pinwheel
