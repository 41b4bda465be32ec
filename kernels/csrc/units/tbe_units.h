#pragma once

// How the lanes of a GPU read rows of embedding tables in chunks of 16 bytes and store results, and
// what one of them does for a lookup without pooling.

#include "index/host_device.h"
#include "index/quantized_row.h"
#include "index/segments.h"
#include "jobs/embedding.h"
#include "jobs/embedding_int8.h"
#include "units/row_packs.h"
#include "units/word.h"

namespace pinwheel {

constexpr int kRowsUnderWay = 4;

PW_HD bool is_aligned(const void* at, uint64_t bytes) {
  return reinterpret_cast<uintptr_t>(at) % bytes == 0;
}

/// Rows of float32, float16 or bfloat16, in chunks.
template <class Number>
struct PlainChunks {
  static constexpr int kNumbers = 16 / sizeof(Number);
  struct Chunk {
    Number numbers[kNumbers] = {};
  };

  TbeTable table;
  const Number* rows;

  PW_HD PlainChunks(const void* weights, const TbeTable& of) : table(of) {
    rows = static_cast<const Number*>(weights) + of.first;
  }
  PW_HD Chunk read(int64_t row, int64_t chunk) const {
    Chunk result;
    const int64_t column = chunk * kNumbers;
    const Number* const from = rows + row * table.stride + column;
    if (column + kNumbers <= table.columns && is_aligned(from, 16)) {
      memcpy(&result, __builtin_assume_aligned(from, 16), sizeof(result));
      return result;
    }
    PW_UNROLL
    for (int k = 0; k < kNumbers; ++k) {
      if (column + k < table.columns) result.numbers[k] = from[k];
    }
    return result;
  }
  PW_HD static float number(const Chunk& chunk, int k) { return to_float(chunk.numbers[k]); }
};

/// What reads packs of rows, for any table.
template <class Number>
struct PlainRows {
  using Packs = PlainPacks<Number>;

  PW_HD Packs packs(const void* weights, const TbeTable& table) const {
    return Packs(weights, table);
  }
};

struct CodeRows {
  using Packs = CodePacks;

  QuantizedLayout layout;

  PW_HD Packs packs(const void* weights, const TbeTable& table) const {
    return Packs(weights, table, layout);
  }
};

/// Stores one chunk, clipped to the `columns` of a row that starts at `row`.
template <int kNumbers, class Out>
PW_HD void store_numbers(Out* row, int64_t column, int64_t columns, const float* numbers) {
  constexpr size_t kBytes = kNumbers * sizeof(Out);
  struct alignas(kBytes < 16 ? kBytes : 16) Whole {
    Out numbers[kNumbers];
  };
  Whole whole;
  PW_UNROLL
  for (int k = 0; k < kNumbers; ++k) from_float(numbers[k], whole.numbers[k]);
  Out* const to = row + column;
  if (column >= 0 && column + kNumbers <= columns && is_aligned(to, alignof(Whole))) {
    *reinterpret_cast<Whole*>(to) = whole;
    return;
  }
  PW_UNROLL
  for (int k = 0; k < kNumbers; ++k) {
    if (column + k >= 0 && column + k < columns) to[k] = whole.numbers[k];
  }
}

/// The same for a result of any dtype whose row starts at element `at`.
template <int kNumbers>
PW_HD void store_chunk(void* out, FloatDtype dtype, int64_t at, int64_t column, int64_t columns,
                       const float* numbers) {
  if (dtype == FloatDtype::kFloat32) {
    store_numbers<kNumbers>(static_cast<float*>(out) + at, column, columns, numbers);
  } else if (dtype == FloatDtype::kFloat16) {
    store_numbers<kNumbers>(static_cast<Fp16*>(out) + at, column, columns, numbers);
  } else {
    store_numbers<kNumbers>(static_cast<Bf16*>(out) + at, column, columns, numbers);
  }
}

/// Lane `lane` of the `lanes` of a position, without pooling. 0 if there is no row.
template <class Rows, class Index>
PW_HD void unpooled_unit(const EmbeddingForwardJob<Index>& job, const Rows& rows, int lane,
                         int lanes, int64_t position) {
  const int64_t t = job.bags.table_of(position, job.tables.count);
  const TbeTable none;
  const TbeTable table = t < 0 ? none : job.tables.at(t);
  using Packs = typename Rows::Packs;
  constexpr int kColumns = Packs::kColumns;
  const Packs packs = rows.packs(job.weights, table.columns == job.out_columns ? table : none);
  const int64_t row = job.bags.row_at(position, packs.table);
  const bool whole = packs.whole();
  RowScale scale{0, 0};
  if (row >= 0) {
    scale =
        packs.scale(whole ? packs.parameters(static_cast<uint32_t>(row)) : packs.parameters(row));
  }
  for (int64_t column = lane * kColumns; column < job.out_columns; column += lanes * kColumns) {
    typename Packs::Words words{};
    if (row >= 0) {
      words = whole ? packs.read(static_cast<uint32_t>(row), column) : packs.read(row, column);
    }
    float numbers[kColumns];
    PW_UNROLL
    for (int k = 0; k < kColumns; ++k) {
      numbers[k] = packs.number(words, k) * scale.scale + scale.bias;
    }
    store_chunk<kColumns>(job.out, job.out_dtype, position * job.out_columns, column,
                          job.out_columns, numbers);
  }
}

}  // namespace pinwheel
