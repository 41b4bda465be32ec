#pragma once

// The layout of several embedding tables in one flat tensor, and the rows that a bag looks up.
// Contents of tensors are never trusted: what is out of range becomes an empty table or bag.

#include <cstdint>

#include "index/host_device.h"
#include "index/untrusted.h"

namespace pinwheel {

/// Units are elements of the flat weights.
struct TbeTable {
  int64_t first = 0;       ///< where row 0 starts
  int64_t rows = 0;        ///< number of rows
  int64_t stride = 0;      ///< from one row to the next
  int64_t columns = 0;     ///< elements in a row
  int64_t out_column = 0;  ///< their first column in a row of the result
};

/// The tables as the operators' arguments describe them.
struct TbeTables {
  const int64_t* weights_offsets = nullptr;   ///< [count]
  const int64_t* hash_size_cumsum = nullptr;  ///< [count + 1]
  const void* D_offsets = nullptr;            ///< [count + 1] of int32, or int64 when `wide`
  bool wide = false;
  int64_t count = 0;
  int64_t weights = 0;  ///< elements of the flat weights
  int64_t total_D = 0;
  /// A row's stride is its columns plus `row_extra`, rounded up to a multiple of `row_alignment`.
  int64_t row_extra = 0;
  int64_t row_alignment = 1;

  PW_HD int64_t column_at(int64_t t) const {
    return wide ? static_cast<const int64_t*>(D_offsets)[t]
                : static_cast<const int32_t*>(D_offsets)[t];
  }

  /// Has no columns if they are out of range in the result, no rows if they are out of range in the
  /// weights. Reads everything before it checks anything, so that a GPU waits only once.
  PW_HD TbeTable at(int64_t t) const {
    TbeTable table;
    const int64_t begin = column_at(t);
    const int64_t columns = length_within(begin, column_at(t + 1), total_D);
    const int64_t first = weights_offsets[t];
    const int64_t rows = length_within(hash_size_cumsum[t], hash_size_cumsum[t + 1], INT64_MAX);
    if (columns < 0) return table;
    table.columns = columns;
    table.out_column = begin;
    table.stride = aligned(table.columns + row_extra);
    if (first < 0 || first > weights || rows < 0) return table;
    if (exceed(rows, table.stride, weights - first)) return table;
    table.first = first;
    table.rows = rows;
    return table;
  }

 private:
  // GPUs have no 64-bit division: both functions use it only for numbers that need it.

  PW_HD int64_t aligned(int64_t elements) const {
    const int64_t last = elements + row_alignment - 1;
    if (row_alignment == 1) return last;
    if (last >> 31 != 0) return last / row_alignment * row_alignment;
    return static_cast<uint32_t>(last) / static_cast<uint32_t>(row_alignment) * row_alignment;
  }

  /// Whether `rows` rows of `stride` elements need more than `room`.
  PW_HD static bool exceed(int64_t rows, int64_t stride, int64_t room) {
    constexpr int64_t kHalf = int64_t{1} << 31;
    if (rows < kHalf && stride < kHalf) return rows * stride > room;
    return stride > 0 && rows > room / stride;
  }
};

/// Positions [begin, begin + length) of the indices.
struct TbeBag {
  int64_t begin = 0;
  int64_t length = 0;
};

/// Bag t * batch + b is sample b of table t.
template <class Index>
struct TbeBags {
  const Index* indices = nullptr;
  const Index* offsets = nullptr;  ///< [count + 1]
  int64_t batch = 0;
  int64_t count = 0;
  int64_t positions = 0;  ///< number of indices

  PW_HD TbeBag at(int64_t bag) const {
    const int64_t begin = offsets[bag];
    const int64_t length = length_within(begin, offsets[bag + 1], positions);
    return length < 0 ? TbeBag{} : TbeBag{begin, length};
  }

  /// The row that position `at` looks up, or -1 if the table has no such row.
  PW_HD int64_t row_at(int64_t at, const TbeTable& table) const {
    const int64_t row = indices[at];
    return row >= 0 && row < table.rows ? row : -1;
  }

  /// Which of `tables` tables has the bag that holds position `at`, or -1.
  PW_HD int64_t table_of(int64_t at, int64_t tables) const {
    int64_t low = 0;
    int64_t high = tables;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (static_cast<int64_t>(offsets[(middle + 1) * batch]) <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < tables && static_cast<int64_t>(offsets[low * batch]) <= at ? low : -1;
  }
};

}  // namespace pinwheel
