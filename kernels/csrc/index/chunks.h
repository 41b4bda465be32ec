#pragma once

#include <cstdint>

#include "index/host_device.h"

namespace pinwheel {

/// Rows of `length` elements cut into chunks of `chunk`; chunks are numbered row by row.
struct Chunks {
  int64_t rows = 0;
  int64_t length = 0;
  int64_t chunk = 1;

  PW_HD int64_t per_row() const { return (length + chunk - 1) / chunk; }
  PW_HD int64_t count() const { return rows * per_row(); }
  PW_HD int64_t row_of(int64_t number) const { return number / per_row(); }
  /// Begin and end (exclusive) of a chunk within its row.
  PW_HD int64_t begin_of(int64_t number) const { return number % per_row() * chunk; }
  PW_HD int64_t end_of(int64_t number) const {
    const int64_t end = begin_of(number) + chunk;
    return end < length ? end : length;
  }
};

}  // namespace pinwheel
