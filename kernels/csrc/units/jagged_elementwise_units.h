#pragma once

// What one GPU thread does for one pack of one row of the result; see jagged_units.h. Loads are
// separate from arithmetic, so that a thread can have several packs in flight.

#include "jobs/jagged_elementwise.h"
#include "units/pack.h"

namespace pinwheel {

template <Combine how, class Element, int kElements>
PW_HD Pack<Element, kElements> combine_packs(const Pack<Element, kElements>& a,
                                             const Pack<Element, kElements>& b) {
  Pack<Element, kElements> result;
  PW_UNROLL
  for (int k = 0; k < kElements; ++k) {
    const Wide<Element> first = to_float(a.at[k]);
    const Wide<Element> second = to_float(b.at[k]);
    from_float(how == Combine::kAdd ? first + second : first * second, result.at[k]);
  }
  return result;
}

/// The packs that make a pack of the result.
template <class Words>
struct PackPair {
  Words first = {};
  Words second = {};
  bool both = false;  ///< else the result is `first`
};

/// For pack `number` of the values, which is pack `pack` of its row: `dense_row` is the row's place
/// in the dense form, or -1 if it has none.
template <Combine how, class Words, class Index>
PW_HD PackPair<Words> packs_of_value(const CombineToJaggedJob<Index>& job, int64_t number,
                                     int64_t dense_row, int64_t packs, int64_t pack) {
  PackPair<Words> pair;
  pair.both = dense_row >= 0;
  const bool kept = how == Combine::kAdd || pair.both;
  if (kept) pair.first = load_whole(static_cast<const Words*>(job.values) + number);
  if (pair.both) {
    pair.second = load_whole(static_cast<const Words*>(job.dense) + dense_row * packs + pack);
  }
  return pair;
}

/// For pack `number` of the dense form: pack `pack` of value row `value_row`, or -1 for padding.
template <Combine how, class Words, class Index>
PW_HD PackPair<Words> packs_of_dense(const CombineToDenseJob<Index>& job, int64_t number,
                                     int64_t value_row, int64_t packs, int64_t pack) {
  const Words* const values = static_cast<const Words*>(job.values);
  const Words* const other = static_cast<const Words*>(job.other);
  const int64_t from = value_row * packs + pack;
  PackPair<Words> pair;
  pair.both = value_row >= 0;
  if (how == Combine::kAdd) {
    pair.first = load_whole(other + number);
  } else if (pair.both) {
    pair.first = load_whole(other + from);
  }
  if (pair.both) pair.second = load_whole(values + from);
  return pair;
}

template <Combine how, class Element, int kElements>
PW_HD Pack<Element, kElements> combined(const PackPair<Pack<Element, kElements>>& pair) {
  return pair.both ? combine_packs<how>(pair.first, pair.second) : pair.first;
}

}  // namespace pinwheel
