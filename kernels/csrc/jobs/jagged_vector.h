#pragma once

#include "index/jagged.h"
#include "jobs/real_dtype.h"

namespace pinwheel {

/// What the jobs here share: B groups of value rows [value_rows, heads * columns], of which the
/// first max_L = jagged.max_length[0] per group are used, and vectors [B * heads, max_L] of
/// weights.
template <class Index>
struct JaggedVectorShape {
  JaggedView<Index> jagged;  ///< of depth 1
  RealDtype dtype = RealDtype::kFloat32;
  int64_t heads = 1;
  int64_t columns = 0;
};

/// out[b * heads + h] = the sum over l of v[b * heads + h, l] * (head h of row l of group b).
template <class Index>
struct VectorTimesJaggedJob {
  JaggedVectorShape<Index> shape;
  const void* v = nullptr;
  const void* values = nullptr;
  void* out = nullptr;  ///< [B * heads, columns]
};

/// The gradient of `v`: dot products of gradients and value rows, 0 past a group's last row.
template <class Index>
struct VectorGradientJob {
  JaggedVectorShape<Index> shape;
  const void* gradient = nullptr;  ///< [B * heads, columns]
  const void* values = nullptr;
  void* out = nullptr;  ///< [B * heads, max_L]
};

/// The gradient of the values: gradients times weights, 0 for unused rows.
template <class Index>
struct JaggedGradientJob {
  JaggedVectorShape<Index> shape;
  const void* gradient = nullptr;  ///< [B * heads, columns]
  const void* v = nullptr;
  void* out = nullptr;  ///< [value_rows, heads * columns]
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const VectorTimesJaggedJob<Index>& job);
template <class Index>
void run_cpu(const VectorGradientJob<Index>& job);
template <class Index>
void run_cpu(const JaggedGradientJob<Index>& job);
template <class Index>
void run_gpu(const VectorTimesJaggedJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const VectorGradientJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const JaggedGradientJob<Index>& job, void* stream);

}  // namespace pinwheel
