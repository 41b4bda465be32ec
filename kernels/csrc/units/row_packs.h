#pragma once

// How a lane of a GPU reads its columns of rows of embedding tables: packs of adjacent columns.
// A table is `whole` if its layout allows reading each pack with one instruction and rows have
// 32-bit numbers, which takes one instruction less to address; all usual tables are.

#include "index/quantized_row.h"
#include "jobs/embedding_int8.h"
#include "units/pack.h"

namespace pinwheel {

PW_HD bool has_short_rows(const TbeTable& table) {
  return table.rows < UINT32_MAX && table.stride < (int64_t{1} << 28);
}

/// Rows of float32, float16 or bfloat16.
template <class Number>
struct PlainPacks {
  static constexpr int kColumns = 16 / sizeof(Number);
  static constexpr bool kScaled = false;
  using Words = Pack<Number, kColumns>;

  TbeTable table;
  const Number* rows;

  PW_HD PlainPacks(const void* weights, const TbeTable& of)
      : table(of), rows(static_cast<const Number*>(weights) + of.first) {}
  PW_HD bool whole() const {
    return has_short_rows(table) && (table.columns | table.stride) % kColumns == 0 &&
           reinterpret_cast<uintptr_t>(rows) % sizeof(Words) == 0;
  }
  /// Of a table that is whole.
  PW_HD Words read(uint32_t row, int64_t column) const {
    const uint32_t stride = static_cast<uint32_t>(table.stride) * uint32_t{sizeof(Number)};
    const char* const first = reinterpret_cast<const char*>(rows + column);
    return *reinterpret_cast<const Words*>(first + static_cast<uint64_t>(row) * stride);
  }
  PW_HD Words read(int64_t row, int64_t column) const {
    Words words{};
    PW_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      if (column + k < table.columns) words.at[k] = rows[row * table.stride + column + k];
    }
    return words;
  }
  PW_HD static float number(const Words& words, int k) { return to_float(words.at[k]); }
  PW_HD RowScale scale(int64_t) const { return RowScale{1, 0}; }
};

/// Rows of codes. Rows are rarely aligned to more than 4 bytes.
struct CodePacks {
  static constexpr int kColumns = 8;
  static constexpr bool kScaled = true;
  struct Words {
    uint32_t at[2] = {};
  };

  TbeTable table;
  QuantizedLayout layout;
  const uint8_t* codes;  ///< of row 0

  PW_HD CodePacks(const void* weights, const TbeTable& of, const QuantizedLayout& any)
      : table(of), layout(any) {
    codes = static_cast<const uint8_t*>(weights) + of.first + layout.codes_at();
  }
  PW_HD bool whole() const {
    return has_short_rows(table) && (table.columns | table.stride) % 4 == 0 &&
           reinterpret_cast<uintptr_t>(codes) % 4 == 0;
  }
  /// Of a table that is whole.
  PW_HD Words read(uint32_t row, int64_t column) const {
    const uint32_t stride = static_cast<uint32_t>(table.stride);
    const uint32_t* const from =
        reinterpret_cast<const uint32_t*>(codes + column + static_cast<uint64_t>(row) * stride);
    Words words;
    words.at[0] = from[0];
    if (column + 4 < table.columns) words.at[1] = from[1];
    return words;
  }
  PW_HD Words read(int64_t row, int64_t column) const {
    const uint8_t* const from = codes + row * table.stride + column;
    Words words;
    PW_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      if (column + k < table.columns) words.at[k / 4] |= uint32_t{from[k]} << (8 * (k % 4));
    }
    return words;
  }
  PW_HD static float number(const Words& words, int k) {
    return code_number(words.at[k / 4], k % 4);
  }
  template <class Row>
  PW_HD RowScale scale(Row row) const {
    // Parameters are before the codes of their own row, or before those of the next one.
    const Row end = layout.place == ParameterPlace::kFirst ? row : row + 1;
    const uint8_t* const at =
        codes + static_cast<int64_t>(end) * stride_as(row) - layout.parameter_bytes();
    return reinterpret_cast<uintptr_t>(at) % 4 == 0 ? read_aligned_parameters(at, layout.dtype)
                                                    : read_parameters(at, layout.dtype);
  }

 private:
  PW_HD int64_t stride_as(int64_t) const { return table.stride; }
  /// Of a table that is whole: a product of 32-bit numbers takes one instruction.
  PW_HD int64_t stride_as(uint32_t) const { return static_cast<uint32_t>(table.stride); }
};

}  // namespace pinwheel
