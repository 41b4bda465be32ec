#pragma once

#include <cstdint>

namespace pinwheel {

/// Rows of `row_elements` elements, each split at `in_offsets` into `segments` pieces: piece t of
/// the result, [out_offsets[t], out_offsets[t + 1]), is piece permute[t] of the input. Moved as
/// bytes.
struct PooledJob {
  const void* in = nullptr;
  void* out = nullptr;
  int64_t rows = 0;
  int64_t row_elements = 0;
  int64_t element_bytes = 0;
  int64_t segments = 0;
  const int64_t* permute = nullptr;
  const int64_t* in_offsets = nullptr;   ///< [segments + 1]
  const int64_t* out_offsets = nullptr;  ///< [segments + 1]
};

/// The offsets must start with 0, never decrease and end at the end of the row; `permute` must be a
/// permutation.
void run_cpu(const PooledJob& job);
/// Safe with any offsets and permutation: columns without a valid source become zero bytes.
void run_gpu(const PooledJob& job, void* stream);

}  // namespace pinwheel
