#pragma once

// A row of 8-bit codes with its own scale and bias: value = code * scale + bias.

#include <cstdint>
#include <cstring>

#include "index/element.h"
#include "index/host_device.h"

namespace pinwheel {

enum class ParameterDtype { kFloat32, kFloat16 };
enum class ParameterPlace { kFirst, kLast };

/// The layout of a row of `row_bytes` bytes. Codes past the last column are padding.
struct QuantizedLayout {
  int64_t row_bytes = 0;
  ParameterDtype dtype = ParameterDtype::kFloat32;
  ParameterPlace place = ParameterPlace::kLast;

  PW_HD int64_t parameter_bytes() const { return dtype == ParameterDtype::kFloat32 ? 8 : 4; }
  PW_HD int64_t codes() const { return row_bytes - parameter_bytes(); }
  PW_HD int64_t codes_at() const { return place == ParameterPlace::kFirst ? parameter_bytes() : 0; }
  PW_HD int64_t parameters_at() const { return place == ParameterPlace::kFirst ? 0 : codes(); }
};

struct RowScale {
  float scale = 0;
  float bias = 0;
};

/// The parameters that start at `at`, which may be unaligned.
PW_HD RowScale read_parameters(const uint8_t* at, ParameterDtype dtype) {
  RowScale result;
  if (dtype == ParameterDtype::kFloat32) {
    memcpy(&result.scale, at, 4);
    memcpy(&result.bias, at + 4, 4);
  } else {
    Fp16 scale{};
    Fp16 bias{};
    memcpy(&scale.bits, at, 2);
    memcpy(&bias.bits, at + 2, 2);
    result.scale = to_float(scale);
    result.bias = to_float(bias);
  }
  return result;
}

/// As `read_parameters`, for naturally aligned ones.
PW_HD RowScale read_aligned_parameters(const uint8_t* at, ParameterDtype dtype) {
  if (dtype == ParameterDtype::kFloat32) {
    const float* const numbers = reinterpret_cast<const float*>(at);
    return RowScale{numbers[0], numbers[1]};
  }
  const Fp16* const numbers = reinterpret_cast<const Fp16*>(at);
  return RowScale{to_float(numbers[0]), to_float(numbers[1])};
}

/// Rows are packed, so their parameters may be unaligned.
PW_HD RowScale read_scale(const uint8_t* row, const QuantizedLayout& layout) {
  return read_parameters(row + layout.parameters_at(), layout.dtype);
}

/// Code `k` of four adjacent ones as a number.
PW_HD float code_number(uint32_t codes, int k) {
#if defined(__CUDA_ARCH__)
  // 2^23 + code, made of bytes: conversions of integers have a quarter of the rate of additions.
  return float_of(__byte_perm(codes, 0x4b000000u, 0x7650u + static_cast<unsigned>(k))) - 8388608.0f;
#else
  return static_cast<float>((codes >> (8 * k)) & 0xffu);
#endif
}

/// For a layout with float32 parameters.
PW_HD void write_scale(uint8_t* row, const QuantizedLayout& layout, const RowScale& value) {
  uint8_t* const at = row + layout.parameters_at();
  memcpy(at, &value.scale, 4);
  memcpy(at + 4, &value.bias, 4);
}

/// As `read_scale`, for naturally aligned parameters.
PW_HD RowScale read_aligned_scale(const uint8_t* row, const QuantizedLayout& layout) {
  return read_aligned_parameters(row + layout.parameters_at(), layout.dtype);
}

/// As `write_scale`, for naturally aligned parameters.
PW_HD void write_aligned_scale(uint8_t* row, const QuantizedLayout& layout, const RowScale& value) {
  float* const numbers = reinterpret_cast<float*>(row + layout.parameters_at());
  numbers[0] = value.scale;
  numbers[1] = value.bias;
}

/// How a row with values in [least, most] is quantized.
struct RowCoder {
  RowScale parameters;
  float inverse = 0;

  PW_HD RowCoder(float least, float most) {
    const float range = most - least;
    parameters.scale = range / 255.0f;
    parameters.bias = least;
    // The epsilon keeps a constant row finite; FBGEMM's CPU operator uses the same one.
    inverse = 255.0f / (range + 1e-8f);
  }

  /// 1.5 * 2^23: adding x to it leaves the integer nearest to x in the low bits of the sum.
  static constexpr float kRounder = 12582912.0f;

  /// The nearest code, ties to even; rows with NaN or infinities get arbitrary codes.
  PW_HD uint8_t code(float number) const {
    return static_cast<uint8_t>(bits_of((number - parameters.bias) * inverse + kRounder));
  }
};

}  // namespace pinwheel
