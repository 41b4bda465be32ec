#pragma once

#include "index/element.h"

namespace pinwheel {

enum class FloatDtype { kFloat32, kFloat16, kBFloat16 };

PW_HD int64_t bytes_of(FloatDtype dtype) {
  return dtype == FloatDtype::kFloat32 ? 4 : 2;
}

/// Calls `body` with a value of the type that holds elements of `dtype`: float, Fp16 or Bf16.
template <class Body>
auto with_float_type(FloatDtype dtype, const Body& body) {
  switch (dtype) {
    case FloatDtype::kFloat16:
      return body(Fp16{});
    case FloatDtype::kBFloat16:
      return body(Bf16{});
    default:
      return body(float{0});
  }
}

}  // namespace pinwheel
