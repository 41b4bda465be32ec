#pragma once

// What one GPU thread does for unit `i` of the updates of embedding tables; see jagged_units.h.

#include "index/host_device.h"
#include "index/segments.h"
#include "index/split.h"
#include "jobs/embedding_update.h"

namespace pinwheel {

/// Keys of either width.
struct KeyList {
  const void* keys = nullptr;
  bool wide = false;

  PW_HD int64_t operator[](int64_t i) const {
    return wide ? static_cast<const int64_t*>(keys)[i] : static_cast<const int32_t*>(keys)[i];
  }
  /// The key of positions without a row.
  PW_HD int64_t none() const { return wide ? INT64_MAX : INT32_MAX; }

  /// The first index in [low, high) whose key is greater than `key`, or `high`.
  PW_HD int64_t after(int64_t key, int64_t low, int64_t high) const {
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if ((*this)[middle] <= key) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Unit i: the key and share of position i; none if any contents on the way are out of range.
template <class Index>
PW_HD void row_key_unit(const EmbeddingUpdate<Index>& job, const RowKeys& keys, int64_t i) {
  int64_t key = KeyList{nullptr, keys.wide}.none();
  GradientShare share{0, 0.0f, 0};
  const int64_t bag = segment_of(job.bags.offsets, job.bags.count, i);
  if (bag >= 0) {
    const TbeBag span = job.bags.at(bag);
    const Split of_table = split(bag, job.bags.batch);
    const int64_t t = of_table.quotient;
    const TbeTable table = job.rows.tables.at(t);
    const int64_t row = job.bags.row_at(i, table);
    const bool fits = job.rows.pooled || table.columns == job.rows.grad_columns;
    if (i >= span.begin && i < span.begin + span.length && row >= 0 && table.columns > 0 && fits) {
      const int64_t momentum_at = job.rows.tables.hash_size_cumsum[t] + row;
      if (keys.momentum_rows < 0) {
        key = table.first + row * table.stride;
      } else if (momentum_at < keys.momentum_rows) {
        key = momentum_at;
      }
      share.grad_row = job.rows.pooled ? of_table.rest : i;
      share.factor = job.mean ? 1.0f / static_cast<float>(span.length) : 1.0f;
      if (job.indice_weights != nullptr) share.factor *= job.indice_weights[i];
      share.table = static_cast<int32_t>(t);
    }
  }
  keys.shares[i] = share;
  if (keys.wide) {
    static_cast<int64_t*>(keys.keys)[i] = key;
  } else {
    static_cast<int32_t*>(keys.keys)[i] = static_cast<int32_t>(key);
  }
}

/// The offsets, in elements, of a row and of its gradients.
struct RowPlace {
  int64_t columns = 0;
  int64_t weights_at = 0;
  int64_t momentum_at = 0;
  int64_t grad_at = 0;  ///< within each gradient row
};

/// The row behind a key that `row_key_unit` made for a position of table `t`.
PW_HD RowPlace place_of(const RowUpdate& job, const RowKeys& keys, int64_t key, int64_t t) {
  const TbeTable table = job.tables.at(t);
  RowPlace place;
  place.columns = table.columns;
  place.grad_at = job.pooled ? table.out_column : 0;
  place.momentum_at = key;
  place.weights_at = key;
  if (keys.momentum_rows >= 0) {
    place.weights_at = table.first + (key - job.tables.hash_size_cumsum[t]) * table.stride;
  }
  return place;
}

}  // namespace pinwheel
