#pragma once

#include <cstdint>

#include "index/real.h"

namespace pinwheel {

enum class RealDtype { kFloat32, kFloat16, kBFloat16, kFloat64 };

/// Calls `body` with a value of the type that holds elements of `dtype`.
template <class Body>
auto with_real_type(RealDtype dtype, const Body& body) {
  switch (dtype) {
    case RealDtype::kFloat16:
      return body(Fp16{});
    case RealDtype::kBFloat16:
      return body(Bf16{});
    case RealDtype::kFloat64:
      return body(double{0});
    default:
      return body(float{0});
  }
}

inline int64_t bytes_of(RealDtype dtype) {
  return with_real_type(dtype, [](auto element) { return static_cast<int64_t>(sizeof(element)); });
}

}  // namespace pinwheel
