#pragma once

#include "index/jagged.h"
#include "jobs/real_dtype.h"

namespace pinwheel {

/// In each group and column, the softmax of the first max_L = jagged.max_length[0] rows. Other rows
/// become 0.
template <class Index>
struct JaggedSoftmaxJob {
  JaggedView<Index> jagged;  ///< of depth 1
  RealDtype dtype = RealDtype::kFloat32;
  const void* values = nullptr;  ///< [value_rows, columns]
  void* out = nullptr;
  int64_t columns = 0;
};

/// Its gradient: out = softmax * (gradient - sum over rows of softmax * gradient).
template <class Index>
struct JaggedSoftmaxGradientJob {
  JaggedView<Index> jagged;  ///< of depth 1
  RealDtype dtype = RealDtype::kFloat32;
  const void* gradient = nullptr;
  const void* softmax = nullptr;
  void* out = nullptr;
  int64_t columns = 0;
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const JaggedSoftmaxJob<Index>& job);
template <class Index>
void run_cpu(const JaggedSoftmaxGradientJob<Index>& job);
template <class Index>
void run_gpu(const JaggedSoftmaxJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const JaggedSoftmaxGradientJob<Index>& job, void* stream);

}  // namespace pinwheel
