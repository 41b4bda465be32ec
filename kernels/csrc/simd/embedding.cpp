#include "simd/embedding.h"

#include "simd/pooled_rows.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// Rows of float32, float16 or bfloat16.
template <class Number>
struct PlainRow {
  using Element = Number;
  static constexpr bool kScaled = false;
  static constexpr int64_t kExtraBytes = 0;
  static constexpr bool kMayBePruned = false;
  PW_HD RowScale scale(const Element*, float weight) const { return RowScale{weight, 0}; }
  PW_HD const Element* numbers(const Element* row) const { return row; }
};

template <class Index>
PW_SIMD int64_t forward(const EmbeddingForwardJob<Index>& job, int64_t first, int64_t last) {
  return with_float_type(job.weights_dtype, [&](auto element) {
    using Row = PlainRow<decltype(element)>;
    return forward_of_bags<Row>(job, first, last, [](const TbeTable&) { return Row{}; });
  });
}

}  // namespace

int64_t embedding_forward(const EmbeddingForwardJob<int32_t>& job, int64_t first, int64_t last) {
  return forward(job, first, last);
}

int64_t embedding_forward(const EmbeddingForwardJob<int64_t>& job, int64_t first, int64_t last) {
  return forward(job, first, last);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
