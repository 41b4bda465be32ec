#pragma once

// What one GPU thread does for unit `i` of the quantizing jobs; see jagged_units.h.

#include "index/host_device.h"
#include "jobs/quantize.h"

namespace pinwheel {

/// The codes of columns [column, column + 4) of a row, as bytes in memory order; 0 past the last
/// column.
template <class Element>
PW_HD uint32_t four_codes(const RowCoder& coder, const Element* row, int64_t column,
                          int64_t columns) {
  uint32_t codes = 0;
  for (int k = 0; k < 4 && column + k < columns; ++k) {
    codes |= static_cast<uint32_t>(coder.code(to_float(row[column + k]))) << (8 * k);
  }
  return codes;
}

/// Unit i: output element i.
template <class Element>
PW_HD void dequantize_unit(const DequantizeJob& job, int64_t i) {
  const int64_t columns = job.layout.codes();
  const uint8_t* const row = job.in + i / columns * job.layout.row_bytes;
  const RowScale value = read_scale(row, job.layout);
  const float code = static_cast<float>(row[job.layout.codes_at() + i % columns]);
  from_float(code * value.scale + value.bias, static_cast<Element*>(job.out)[i]);
}

}  // namespace pinwheel
