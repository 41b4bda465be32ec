#pragma once

#include <cstdint>

#include "index/tbe_tables.h"
#include "jobs/float_dtype.h"

namespace pinwheel {

/// Numbered as in FBGEMM.
enum class Pooling { kSum = 0, kMean = 1, kNone = 2 };

/// Bags of rows -> one row per bag: out[b, columns of t] = the sum or mean of the rows of bag (t,
/// b). Without pooling: one row per position, out[position].
template <class Index>
struct EmbeddingForwardJob {
  TbeTables tables;
  TbeBags<Index> bags;
  Pooling pooling = Pooling::kSum;
  FloatDtype weights_dtype = FloatDtype::kFloat32;
  FloatDtype out_dtype = FloatDtype::kFloat32;
  const void* weights = nullptr;
  const float* indice_weights = nullptr;  ///< one per position, or null
  void* out = nullptr;
  int64_t out_columns = 0;       ///< columns of a row of the result
  int64_t* first_bad = nullptr;  ///< CPU: set to the first position with an invalid index, if any
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const EmbeddingForwardJob<Index>& job);
template <class Index>
void run_gpu(const EmbeddingForwardJob<Index>& job, void* stream);

}  // namespace pinwheel
