#pragma once

#include "index/jagged.h"
#include "jobs/real_dtype.h"

namespace pinwheel {

enum class Combine { kAdd, kMultiply };

/// Combines each value row with its dense row. Rows without one are unchanged by kAdd and become 0
/// by kMultiply.
template <class Index>
struct CombineToJaggedJob {
  JaggedView<Index> jagged;
  RealDtype dtype = RealDtype::kFloat32;
  Combine combine = Combine::kAdd;
  const void* values = nullptr;
  const void* dense = nullptr;
  void* out = nullptr;
  int64_t row_elements = 0;
};

/// The same with a dense result: kAdd adds value rows to `dense`, whose other rows are unchanged;
/// kMultiply scatters the products of the rows of `values` and `other` into zeros.
template <class Index>
struct CombineToDenseJob {
  JaggedView<Index> jagged;
  RealDtype dtype = RealDtype::kFloat32;
  Combine combine = Combine::kAdd;
  const void* values = nullptr;
  const void* other = nullptr;  ///< kAdd: the dense form; kMultiply: jagged, like `values`
  void* out = nullptr;
  int64_t row_elements = 0;
  int64_t dense_rows = 0;
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const CombineToJaggedJob<Index>& job);
template <class Index>
void run_cpu(const CombineToDenseJob<Index>& job);
template <class Index>
void run_gpu(const CombineToJaggedJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const CombineToDenseJob<Index>& job, void* stream);

}  // namespace pinwheel
