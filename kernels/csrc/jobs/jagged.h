#pragma once

#include <cstdint>

#include "index/jagged.h"

namespace pinwheel {

/// values -> dense: every dense row is a value row or `padding`. Elements are moved as bytes, so
/// any dtype of 1, 2, 4 or 8 bytes works; `padding` holds the element's bytes, repeated to fill 16.
template <class Index>
struct JaggedToDenseJob {
  JaggedView<Index> jagged;
  const void* values = nullptr;
  void* dense = nullptr;
  int64_t row_bytes = 0;
  int64_t dense_rows = 0;
  alignas(16) unsigned char padding[16] = {};
};

/// dense -> values, the gather that is the transpose of the above: truncated rows become zero
/// bytes.
template <class Index>
struct DenseToJaggedJob {
  JaggedView<Index> jagged;
  const void* dense = nullptr;
  void* values = nullptr;
  int64_t row_bytes = 0;
};

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const JaggedToDenseJob<Index>& job);
template <class Index>
void run_cpu(const DenseToJaggedJob<Index>& job);
template <class Index>
void run_gpu(const JaggedToDenseJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const DenseToJaggedJob<Index>& job, void* stream);

}  // namespace pinwheel
