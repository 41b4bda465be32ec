#pragma once

#include "jobs/embedding.h"

namespace pinwheel {

/// The gradient of the flat weights: a row's gradient is the sum over its occurrences, in order.
/// Several features may share one table and then share its gradient.
template <class Index>
struct DenseGradientJob {
  TbeTables tables;
  TbeBags<Index> bags;
  Pooling pooling = Pooling::kSum;
  FloatDtype grad_dtype = FloatDtype::kFloat32;
  FloatDtype out_dtype = FloatDtype::kFloat32;
  const void* grad = nullptr;             ///< shaped as the result of the lookup
  int64_t grad_columns = 0;               ///< of a row of `grad`
  int64_t grad_elements = 0;              ///< of all of `grad`
  const float* indice_weights = nullptr;  ///< one per position, or null
  void* out = nullptr;                    ///< shaped as the weights; on a GPU, zeroed
  int64_t* first_bad = nullptr;           ///< CPU: see EmbeddingForwardJob
};

/// GPU: the contribution of each position: `scale` times the elements of `grad` from `source` on,
/// added to the row of the weights that starts at `row`; kNoRow if the position contributes
/// nothing.
template <class Index>
struct OccurrencesJob {
  DenseGradientJob<Index> of;
  int64_t* row = nullptr;
  int64_t* source = nullptr;
  float* scale = nullptr;
};

constexpr int64_t kNoRow = INT64_MAX;

/// GPU: the gradient from occurrences stably sorted by `row`.
template <class Index>
struct SortedGradientJob {
  DenseGradientJob<Index> of;
  const int64_t* row = nullptr;          ///< sorted
  const int64_t* permutation = nullptr;  ///< the position of each occurrence
  const int64_t* source = nullptr;       ///< by position
  const float* scale = nullptr;          ///< by position
};

/// out[position] = the dot product of the row that the position looks up and its bag's gradient.
template <class Index>
struct IndiceWeightsGradientJob {
  TbeTables tables;
  TbeBags<Index> bags;
  Pooling pooling = Pooling::kSum;
  FloatDtype grad_dtype = FloatDtype::kFloat32;
  FloatDtype weights_dtype = FloatDtype::kFloat32;
  const void* grad = nullptr;
  int64_t grad_columns = 0;
  const void* weights = nullptr;
  float* out = nullptr;          ///< on a GPU, zeroed
  int64_t* first_bad = nullptr;  ///< CPU: see EmbeddingForwardJob
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const DenseGradientJob<Index>& job);
template <class Index>
void run_cpu(const IndiceWeightsGradientJob<Index>& job);
template <class Index>
void run_gpu(const OccurrencesJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const SortedGradientJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const IndiceWeightsGradientJob<Index>& job, void* stream);

}  // namespace pinwheel
