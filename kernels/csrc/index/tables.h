#pragma once

// Which table an index belongs to: each table has a range of bags, each bag a range of indices.

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

/// Table t has the bags [bag_starts[t], bag_starts[t + 1]), or `batch` bags if that is null; bag b
/// has the indices [offsets[b], offsets[b + 1]).
template <class Offset>
struct TableBags {
  int64_t tables = 0;
  int64_t bags = 0;
  int64_t batch = 0;
  const int32_t* bag_starts = nullptr;
  const Offset* offsets = nullptr;

  /// The first bag of table t, or the end of the last for t = `tables`; clamped to [0, bags].
  PW_HD int64_t first_bag(int64_t t) const {
    const int64_t bag = bag_starts == nullptr ? t * batch : static_cast<int64_t>(bag_starts[t]);
    return bag < 0 ? 0 : bag > bags ? bags : bag;
  }

  PW_HD int64_t first_index(int64_t t) const { return static_cast<int64_t>(offsets[first_bag(t)]); }
};

/// The table that holds index number `index`; -1 if none does. Never reads out of bounds, whatever
/// the offsets contain.
template <class Offset>
PW_HD int64_t table_of(const TableBags<Offset>& bags, int64_t index) {
  int64_t low = 0;
  int64_t high = bags.tables + 1;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (bags.first_index(middle) <= index) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1 >= bags.tables ? -1 : low - 1;
}

/// Whether `index` is valid for a table of `rows` rows: a row, or -1 for a pruned one.
PW_HD bool is_row(int64_t index, int64_t rows) {
  return index == -1 || (index >= 0 && index < rows);
}

}  // namespace pinwheel
