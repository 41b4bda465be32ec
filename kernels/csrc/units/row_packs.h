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

/// The product of 32-bit numbers.
PW_HD uint64_t wide_product(uint32_t a, uint32_t b) {
#if defined(__CUDA_ARCH__)
  // nvcc takes four instructions for it if one of the numbers does not change in a loop.
  uint64_t product = 0;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
#else
  return static_cast<uint64_t>(a) * b;
#endif
}

/// The bytes of a row's scale and bias, which need not have arrived yet.
struct RowParameters {
  uint32_t words[2] = {};
};

/// Rows of float32, float16 or bfloat16.
template <class Number>
struct PlainPacks {
  static constexpr int kColumns = 16 / sizeof(Number);
  static constexpr bool kScaled = false;
  // Words of 32 bits even for 16-bit numbers: if a row is not read, nvcc would clear those one by
  // one.
  using Words = Pack<uint32_t, 4>;

  TbeTable table;
  const Number* rows;

  PW_HD PlainPacks(const void* weights, const TbeTable& of)
      : table(of), rows(static_cast<const Number*>(weights) + of.first) {}
  PW_HD bool whole() const {
    return has_short_rows(table) && (table.columns | table.stride) % kColumns == 0 &&
           reinterpret_cast<uintptr_t>(rows) % sizeof(Words) == 0;
  }
  /// Only if whole().
  PW_HD Words read(uint32_t row, int64_t column) const {
    const uint32_t stride = static_cast<uint32_t>(table.stride) * uint32_t{sizeof(Number)};
    const char* const first = reinterpret_cast<const char*>(rows + column);
    return *reinterpret_cast<const Words*>(first + wide_product(row, stride));
  }
  PW_HD Words read(int64_t row, int64_t column) const {
    Words words{};
    PW_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      if (column + k >= table.columns) continue;
      words.at[k / kPerWord] |= bits_at(rows + row * table.stride + column + k)
                                << (kBits * (k % kPerWord));
    }
    return words;
  }
  PW_HD static float number(const Words& words, int k) {
    const uint32_t bits = words.at[k / kPerWord] >> (kBits * (k % kPerWord));
    if constexpr (sizeof(Number) == 4) {
      return float_of(bits);
    } else {
      return to_float(Number{static_cast<uint16_t>(bits)});
    }
  }
  template <class Row>
  PW_HD RowParameters parameters(Row) const {
    return RowParameters{};
  }
  PW_HD RowScale scale(const RowParameters&) const { return RowScale{1, 0}; }

 private:
  static constexpr int kBits = 8 * sizeof(Number);
  static constexpr int kPerWord = 32 / kBits;

  // nvcc would turn a memcpy into loads of single bytes.
  PW_HD static uint32_t bits_at(const Number* at) {
    if constexpr (sizeof(Number) == 4) {
      return bits_of(*at);
    } else {
      return at->bits;
    }
  }
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
  /// Only if whole(). Past the last column, numbers are arbitrary.
  PW_HD Words read(uint32_t row, int64_t column) const {
    const uint32_t stride = static_cast<uint32_t>(table.stride);
    const uint8_t* const from = codes + column;
    // Reads the same word twice rather than branch.
    const uint8_t* const rest = column + 4 < table.columns ? from + 4 : from;
    const uint64_t at = wide_product(row, stride);
    Words words;
    words.at[0] = *reinterpret_cast<const uint32_t*>(from + at);
    words.at[1] = *reinterpret_cast<const uint32_t*>(rest + at);
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
  /// Only if whole().
  PW_HD RowParameters parameters(uint32_t row) const {
    const uint32_t stride = static_cast<uint32_t>(table.stride);
    const uint32_t* const from =
        reinterpret_cast<const uint32_t*>(first_parameters() + wide_product(row, stride));
    RowParameters result;
    result.words[0] = from[0];
    if (layout.dtype == ParameterDtype::kFloat32) result.words[1] = from[1];
    return result;
  }
  PW_HD RowParameters parameters(int64_t row) const {
    const uint8_t* const from = first_parameters() + row * table.stride;
    RowParameters result;
    PW_UNROLL
    for (int k = 0; k < 8; ++k) {
      if (k < layout.parameter_bytes()) result.words[k / 4] |= uint32_t{from[k]} << (8 * (k % 4));
    }
    return result;
  }
  PW_HD RowScale scale(const RowParameters& of) const {
    if (layout.dtype == ParameterDtype::kFloat32) {
      return RowScale{float_of(of.words[0]), float_of(of.words[1])};
    }
    return RowScale{to_float(Fp16{static_cast<uint16_t>(of.words[0])}),
                    to_float(Fp16{static_cast<uint16_t>(of.words[0] >> 16)})};
  }

 private:
  /// The parameters of row 0: before its codes, or at its end.
  PW_HD const uint8_t* first_parameters() const {
    const int64_t end = layout.place == ParameterPlace::kFirst ? 0 : table.stride;
    return codes + end - layout.parameter_bytes();
  }
};

}  // namespace pinwheel
