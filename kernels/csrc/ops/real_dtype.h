#pragma once

#include "base/tensors.h"
#include "jobs/real_dtype.h"

namespace pinwheel {

/// Fails unless `tensor`, called `name` in messages, holds one of the floating-point dtypes.
inline RealDtype real_dtype(const char* op, const char* name, const Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case ScalarType::Float:
      return RealDtype::kFloat32;
    case ScalarType::Half:
      return RealDtype::kFloat16;
    case ScalarType::BFloat16:
      return RealDtype::kBFloat16;
    case ScalarType::Double:
      return RealDtype::kFloat64;
    default:
      fail(op, "`", name, "` must hold float32, float16, bfloat16 or float64, not ",
           torch::headeronly::toString(tensor.scalar_type()));
  }
}

inline void require_same_dtype(const char* op, const Tensor& first, const Tensor& other,
                               const char* name) {
  require(other.scalar_type() == first.scalar_type(), op, "`", name, "` must hold ",
          torch::headeronly::toString(first.scalar_type()), " as the first argument does, not ",
          torch::headeronly::toString(other.scalar_type()));
}

}  // namespace pinwheel
