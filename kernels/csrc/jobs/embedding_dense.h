#pragma once

#include "jobs/embedding.h"

namespace pinwheel {

/// The gradient of the flat weights: each row's is the sum over its occurrences, in their order.
/// Tables that are one table under several numbers share their gradient.
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
  const float* indice_weights = nullptr;  ///< one for each position, or none
  void* out = nullptr;                    ///< as the weights; a GPU wants it zeroed
  int64_t* first_bad = nullptr;           ///< CPU: see EmbeddingForwardJob
};

/// GPU: what each position brings: `scale` times the numbers of `grad` from `source` on, for the
/// row of the weights that starts at `row`, which is kNoRow where the position brings nothing.
template <class Index>
struct OccurrencesJob {
  DenseGradientJob<Index> of;
  int64_t* row = nullptr;
  int64_t* source = nullptr;
  float* scale = nullptr;
};

constexpr int64_t kNoRow = INT64_MAX;

/// GPU: the gradient from occurrences sorted by `row`; those of one row are in their order.
template <class Index>
struct SortedGradientJob {
  DenseGradientJob<Index> of;
  const int64_t* row = nullptr;          ///< sorted
  const int64_t* permutation = nullptr;  ///< the position of each
  const int64_t* source = nullptr;       ///< by position
  const float* scale = nullptr;          ///< by position
};

/// out[position] = the row that the position asks for, times the gradient of its bag.
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
  float* out = nullptr;          ///< a GPU wants it zeroed
  int64_t* first_bad = nullptr;  ///< CPU: see EmbeddingForwardJob
};

// For Index = int32_t and int64_t.
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
