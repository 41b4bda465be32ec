#pragma once

#include "base/tensors.h"
#include "jobs/float_dtype.h"

namespace pinwheel {

/// float32, float16 or bfloat16; fails on any other.
inline FloatDtype float_dtype_of(const char* op, const Tensor& tensor, const char* name) {
  switch (tensor.scalar_type()) {
    case ScalarType::Float:
      return FloatDtype::kFloat32;
    case ScalarType::Half:
      return FloatDtype::kFloat16;
    case ScalarType::BFloat16:
      return FloatDtype::kBFloat16;
    default:
      fail(op, "`", name, "` must hold float32, float16 or bfloat16, not ",
           torch::headeronly::toString(tensor.scalar_type()));
  }
}

struct OutputDtype {
  ScalarType scalar;
  FloatDtype number;
};

/// The dtype for FBGEMM's number in schemas: 0, 1 or 5.
inline OutputDtype output_dtype_of(const char* op, int64_t number) {
  switch (number) {
    case 0:
      return {ScalarType::Float, FloatDtype::kFloat32};
    case 1:
      return {ScalarType::Half, FloatDtype::kFloat16};
    case 5:
      return {ScalarType::BFloat16, FloatDtype::kBFloat16};
    default:
      fail(op, "`output_dtype` must be 0 (float32), 1 (float16) or 5 (bfloat16), not ", number);
  }
}

}  // namespace pinwheel
