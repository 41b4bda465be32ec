#include "ops/padding.h"

#include <torch/headeronly/util/BFloat16.h>
#include <torch/headeronly/util/Half.h>

#include <cstring>
#include <limits>

namespace pinwheel {
namespace {

template <class Element>
void repeat(const Element& element, unsigned char (&pattern)[16]) {
  for (size_t at = 0; at < sizeof(pattern); at += sizeof(Element)) {
    std::memcpy(pattern + at, &element, sizeof(Element));
  }
}

template <class Integer>
void repeat_integer(const char* op, const char* name, double value, unsigned char (&pattern)[16]) {
  // The bounds are powers of two and so exact as double, unlike the largest int64.
  const double above = -2.0 * static_cast<double>(std::numeric_limits<Integer>::min() / 2);
  const double low = static_cast<double>(std::numeric_limits<Integer>::min());
  const double high = std::is_signed_v<Integer>
                          ? above
                          : static_cast<double>(std::numeric_limits<Integer>::max()) + 1.0;
  require(value >= low && value < high, op, "`padding_value` ", value,
          " does not fit the integer dtype of `", name, "`");
  repeat(static_cast<Integer>(value), pattern);
}

}  // namespace

void fill_pattern(const char* op, const char* name, ScalarType dtype, double value,
                  unsigned char (&pattern)[16]) {
  switch (dtype) {
    case ScalarType::Double:
      return repeat(value, pattern);
    case ScalarType::Float:
      return repeat(static_cast<float>(value), pattern);
    case ScalarType::Half:
      return repeat(c10::Half(static_cast<float>(value)), pattern);
    case ScalarType::BFloat16:
      return repeat(c10::BFloat16(static_cast<float>(value)), pattern);
    case ScalarType::Long:
      return repeat_integer<int64_t>(op, name, value, pattern);
    case ScalarType::UInt64:
      return repeat_integer<uint64_t>(op, name, value, pattern);
    case ScalarType::Int:
      return repeat_integer<int32_t>(op, name, value, pattern);
    case ScalarType::UInt32:
      return repeat_integer<uint32_t>(op, name, value, pattern);
    case ScalarType::Short:
      return repeat_integer<int16_t>(op, name, value, pattern);
    case ScalarType::UInt16:
      return repeat_integer<uint16_t>(op, name, value, pattern);
    case ScalarType::Char:
      return repeat_integer<int8_t>(op, name, value, pattern);
    case ScalarType::Byte:
      return repeat_integer<uint8_t>(op, name, value, pattern);
    case ScalarType::Bool:
      return repeat(static_cast<uint8_t>(value != 0), pattern);
    default:
      fail(op, "`", name,
           "` must hold float16, bfloat16, float32, float64, integers or booleans, not ",
           torch::headeronly::toString(dtype));
  }
}

}  // namespace pinwheel
