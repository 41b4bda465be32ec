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
  /// weights. Selects instead of returning early: a GPU then issues all loads before it waits.
  PW_HD TbeTable at(int64_t t) const {
    const int64_t begin = column_at(t);
    const int64_t columns = length_within(begin, column_at(t + 1), total_D);
    const int64_t first = weights_offsets[t];
    const int64_t rows = length_within(hash_size_cumsum[t], hash_size_cumsum[t + 1], INT64_MAX);
    TbeTable table;
    const bool has_columns = columns >= 0;
    table.columns = has_columns ? columns : 0;
    table.out_column = has_columns ? begin : 0;
    const int64_t stride = aligned(table.columns + row_extra);
    table.stride = has_columns ? stride : 0;
    const int64_t room = wrapping_difference(weights, first);
    const bool has_rows =
        has_columns && first >= 0 && first <= weights && rows >= 0 && !exceed(rows, stride, room);
    table.first = has_rows ? first : 0;
    table.rows = has_rows ? rows : 0;
    return table;
  }

 private:
  PW_HD int64_t aligned(int64_t elements) const {
    const int64_t last = elements + row_alignment - 1;
    if (row_alignment == 1) return last;
    // GPUs have no instruction for 64-bit division, so it is used only for numbers that need it.
    if (last >> 31 != 0) return last / row_alignment * row_alignment;
    return static_cast<uint32_t>(last) / static_cast<uint32_t>(row_alignment) * row_alignment;
  }

  /// Whether `rows` rows of `stride` elements need more than `room`.
  PW_HD static bool exceed(uint64_t rows, uint64_t stride, uint64_t room) {
#if defined(__CUDA_ARCH__)
    const uint64_t high = __umul64hi(rows, stride);
#else
    using Wide = unsigned __int128;
    const uint64_t high = static_cast<uint64_t>((static_cast<Wide>(rows) * stride) >> 64);
#endif
    return high != 0 || rows * stride > room;
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
    return row_of(indices[at], table);
  }
  /// The same for the index at a position.
  PW_HD static int64_t row_of(Index index, const TbeTable& table) {
    const int64_t row = index;
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
