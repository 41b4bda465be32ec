#pragma once

#include <cstdint>

#include "index/quantized_row.h"
#include "jobs/float_dtype.h"

namespace pinwheel {

/// Rows of `columns` elements -> rows of codes followed by float32 scale and bias. Codes between
/// `columns` and the parameters are zero.
struct QuantizeJob {
  FloatDtype dtype = FloatDtype::kFloat32;
  const void* in = nullptr;
  uint8_t* out = nullptr;
  int64_t rows = 0;
  int64_t columns = 0;
  QuantizedLayout layout;
};

/// Rows of codes -> rows of `layout.codes()` elements.
struct DequantizeJob {
  FloatDtype dtype = FloatDtype::kFloat32;
  const uint8_t* in = nullptr;
  void* out = nullptr;
  int64_t rows = 0;
  QuantizedLayout layout;
};

void run_cpu(const QuantizeJob& job);
void run_cpu(const DequantizeJob& job);
void run_gpu(const QuantizeJob& job, void* stream);
void run_gpu(const DequantizeJob& job, void* stream);

}  // namespace pinwheel
