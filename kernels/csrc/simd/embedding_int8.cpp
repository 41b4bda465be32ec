#include "simd/embedding_int8.h"

#include "simd/pooled_rows.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// Codes with their own scale and bias.
struct CodeRow {
  using Element = uint8_t;
  static constexpr bool kScaled = true;
  static constexpr int64_t kExtraBytes = 8;
  static constexpr bool kMayBePruned = true;
  ParameterDtype dtype = ParameterDtype::kFloat32;
  int64_t parameters_at = 0;
  int64_t codes_at = 0;

  CodeRow() = default;
  explicit CodeRow(const QuantizedLayout& layout)
      : dtype(layout.dtype), parameters_at(layout.parameters_at()), codes_at(layout.codes_at()) {}

  PW_HD RowScale scale(const uint8_t* row, float weight) const {
    if (dtype == ParameterDtype::kFloat32) {
      float both[2];
      memcpy(both, row + parameters_at, sizeof(both));
      return RowScale{both[0] * weight, both[1] * weight};
    }
    Fp16 both[2];  // converted by a hardware instruction
    memcpy(both, row + parameters_at, sizeof(both));
    return RowScale{number_of(both[0]) * weight, number_of(both[1]) * weight};
  }
  PW_HD const uint8_t* numbers(const uint8_t* row) const { return row + codes_at; }
};

template <class Index>
PW_SIMD int64_t forward(const Int8EmbeddingForwardJob<Index>& job, int64_t first, int64_t last) {
  return forward_of_bags<CodeRow>(job.lookup, first, last, [&](const TbeTable& table) {
    return CodeRow(layout_of(job.layout, table));
  });
}

}  // namespace

int64_t embedding_int8_forward(const Int8EmbeddingForwardJob<int32_t>& job, int64_t first,
                               int64_t last) {
  return forward(job, first, last);
}

int64_t embedding_int8_forward(const Int8EmbeddingForwardJob<int64_t>& job, int64_t first,
                               int64_t last) {
  return forward(job, first, last);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
