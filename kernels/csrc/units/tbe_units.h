#pragma once

// What one GPU thread does for unit `i` of an embedding job; see jagged_units.h. A bag has `lanes`
// adjacent units, a power of two: each sums up 16-byte chunks of the bag's rows. It has several
// rows in flight at once, and reads the indices of the next ones before it adds these up.

#include "index/host_device.h"
#include "index/quantized_row.h"
#include "index/segments.h"
#include "jobs/embedding.h"
#include "jobs/embedding_int8.h"
#include "units/word.h"

namespace pinwheel {

constexpr int kRowsUnderWay = 4;

PW_HD bool is_aligned(const void* at, uint64_t bytes) {
  return reinterpret_cast<uintptr_t>(at) % bytes == 0;
}

/// Number of lanes for a bag of rows of `row_bytes` bytes.
inline int lanes_for_row(int64_t row_bytes) {
  int lanes = 1;
  while (lanes < 32 && lanes * 16 < row_bytes) lanes *= 2;
  return lanes;
}

/// Rows of float32, float16 or bfloat16, in chunks.
template <class Number>
struct PlainChunks {
  static constexpr int kNumbers = 16 / sizeof(Number);
  struct Chunk {
    static constexpr int kCount = kNumbers;
    Number numbers[kNumbers] = {};
  };

  TbeTable table;
  const Number* rows;

  PW_HD PlainChunks(const void* weights, const TbeTable& of) : table(of) {
    rows = static_cast<const Number*>(weights) + of.first;
  }
  /// The column of element 0 of chunk 0.
  PW_HD int64_t first_column() const { return 0; }
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
  PW_HD RowScale scale(int64_t) const { return RowScale{1, 0}; }
  PW_HD static float number(const Chunk& chunk, int k) { return to_float(chunk.numbers[k]); }
};

/// Rows of codes, in chunks over all their bytes: scale and bias are read too, and end up outside
/// the columns.
struct CodeChunks {
  static constexpr int kNumbers = 16;
  struct Chunk {
    static constexpr int kCount = kNumbers;
    uint8_t numbers[kNumbers] = {};
  };

  TbeTable table;
  QuantizedLayout layout;
  const uint8_t* rows;

  PW_HD CodeChunks(const void* weights, const TbeTable& of, const QuantizedLayout& any)
      : table(of), layout(layout_of(any, of)) {
    rows = static_cast<const uint8_t*>(weights) + of.first;
  }
  PW_HD int64_t first_column() const { return -layout.codes_at(); }
  PW_HD Chunk read(int64_t row, int64_t chunk) const {
    Chunk result;
    const uint8_t* const from = rows + row * table.stride + chunk * kNumbers;
    const int64_t rest = table.stride - chunk * kNumbers;
    if (rest >= kNumbers && is_aligned(from, 16)) {
      memcpy(&result, __builtin_assume_aligned(from, 16), sizeof(result));
      return result;
    }
    if (rest >= kNumbers && is_aligned(from, 4)) {
      for (int k = 0; k < kNumbers; k += 4) {
        memcpy(result.numbers + k, __builtin_assume_aligned(from + k, 4), 4);
      }
      return result;
    }
    PW_UNROLL
    for (int k = 0; k < kNumbers; ++k) {
      if (k < rest) result.numbers[k] = from[k];
    }
    return result;
  }
  PW_HD RowScale scale(int64_t row) const { return read_scale(rows + row * table.stride, layout); }
  PW_HD static float number(const Chunk& chunk, int k) {
    return static_cast<float>(chunk.numbers[k]);
  }
};

template <class Number>
struct PlainRows {
  PW_HD PlainChunks<Number> of(const void* weights, const TbeTable& table) const {
    return PlainChunks<Number>(weights, table);
  }
};

struct CodeRows {
  QuantizedLayout layout;
  PW_HD CodeChunks of(const void* weights, const TbeTable& table) const {
    return CodeChunks(weights, table, layout);
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

/// The weighted sum of one chunk of the rows of a bag. Invalid rows add nothing.
template <class Chunks, class Index>
PW_HD void sum_chunk(const EmbeddingForwardJob<Index>& job, const Chunks& chunks, const TbeBag& bag,
                     int64_t chunk, float* sums) {
  const auto row_at = [&](int64_t k) -> int64_t {
    return k < bag.length ? job.bags.row_at(bag.begin + k, chunks.table) : -1;
  };
  int64_t rows[kRowsUnderWay];
  for (int r = 0; r < kRowsUnderWay; ++r) rows[r] = row_at(r);
  for (int k = 0; k < Chunks::kNumbers; ++k) sums[k] = 0;
  float bias = 0;
  for (int64_t i = 0; i < bag.length; i += kRowsUnderWay) {
    typename Chunks::Chunk read[kRowsUnderWay];
    RowScale scales[kRowsUnderWay];
    for (int r = 0; r < kRowsUnderWay; ++r) {
      if (rows[r] < 0) continue;
      const float weight =
          job.indice_weights == nullptr ? 1 : job.indice_weights[bag.begin + i + r];
      read[r] = chunks.read(rows[r], chunk);
      const RowScale scale = chunks.scale(rows[r]);
      scales[r] = RowScale{scale.scale * weight, scale.bias * weight};
    }
    for (int r = 0; r < kRowsUnderWay; ++r) rows[r] = row_at(i + kRowsUnderWay + r);
    for (int r = 0; r < kRowsUnderWay; ++r) {
      for (int k = 0; k < Chunks::kNumbers; ++k) {
        sums[k] += Chunks::number(read[r], k) * scales[r].scale;
      }
      bias += scales[r].bias;
    }
  }
  for (int k = 0; k < Chunks::kNumbers; ++k) sums[k] += bias;
}

/// Unit i: lane i % lanes of bag i / lanes.
template <class Rows, class Index>
PW_HD void pooled_unit(const EmbeddingForwardJob<Index>& job, const Rows& rows, int lanes,
                       int64_t i) {
  const int64_t number = i / lanes;
  const auto chunks = rows.of(job.weights, job.tables.at(number / job.bags.batch));
  constexpr int kNumbers = decltype(chunks.read(0, 0))::kCount;
  const TbeBag bag = job.bags.at(number);
  const int64_t to = number % job.bags.batch * job.out_columns + chunks.table.out_column;
  const int64_t columns = chunks.table.columns;
  const bool mean = job.pooling == Pooling::kMean && bag.length > 0;
  for (int64_t chunk = i % lanes; chunk * kNumbers + chunks.first_column() < columns;
       chunk += lanes) {
    float sums[kNumbers];
    sum_chunk(job, chunks, bag, chunk, sums);
    if (mean) {
      for (int k = 0; k < kNumbers; ++k) sums[k] /= static_cast<float>(bag.length);
    }
    store_chunk<kNumbers>(job.out, job.out_dtype, to, chunk * kNumbers + chunks.first_column(),
                          columns, sums);
  }
}

/// Unit i: lane i % lanes of position i / lanes, without pooling. 0 if there is no row.
template <class Rows, class Index>
PW_HD void unpooled_unit(const EmbeddingForwardJob<Index>& job, const Rows& rows, int lanes,
                         int64_t i) {
  const int64_t position = i / lanes;
  const int64_t t = job.bags.table_of(position, job.tables.count);
  const TbeTable none;
  const TbeTable table = t < 0 ? none : job.tables.at(t);
  const auto chunks = rows.of(job.weights, table.columns == job.out_columns ? table : none);
  constexpr int kNumbers = decltype(chunks.read(0, 0))::kCount;
  const int64_t row = job.bags.row_at(position, chunks.table);
  const RowScale scale = row < 0 ? RowScale{} : chunks.scale(row);
  for (int64_t chunk = i % lanes; chunk * kNumbers + chunks.first_column() < job.out_columns;
       chunk += lanes) {
    float numbers[kNumbers] = {};
    if (row >= 0) {
      const auto read = chunks.read(row, chunk);
      PW_UNROLL
      for (int k = 0; k < kNumbers; ++k) {
        numbers[k] = chunks.number(read, k) * scale.scale + scale.bias;
      }
    }
    store_chunk<kNumbers>(job.out, job.out_dtype, position * job.out_columns,
                          chunk * kNumbers + chunks.first_column(), job.out_columns, numbers);
  }
}

}  // namespace pinwheel
