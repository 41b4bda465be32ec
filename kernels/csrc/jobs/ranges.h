#pragma once

#include <cstdint>

#include "jobs/real_dtype.h"

namespace pinwheel {

/// out[starts[i] + k] = k up to the next start, or up to `size` for the last one.
template <class Index>
struct OffsetsRangeJob {
  const Index* starts = nullptr;
  int64_t count = 0;
  Index* out = nullptr;
  int64_t size = 0;
};

enum class SumDtype { kFloat32, kFloat16, kBFloat16, kFloat64, kInt32, kInt64 };

/// out[s] = the sum of values [offsets[s] * unit, offsets[s + 1] * unit). 16-bit types are added in
/// float32; integers wrap around.
template <class Index>
struct SegmentSumJob {
  SumDtype dtype = SumDtype::kFloat32;
  const Index* offsets = nullptr;
  int64_t segments = 0;
  int64_t unit = 1;
  const void* values = nullptr;
  int64_t size = 0;  ///< of the values
  void* out = nullptr;
};

/// The type that `Element` is accumulated in.
template <class Element>
struct SumOf {
  using type = Wide<Element>;
};
template <>
struct SumOf<int32_t> {
  using type = uint32_t;
};
template <>
struct SumOf<int64_t> {
  using type = uint64_t;
};

/// Calls `body` with a value of the type that holds elements of `dtype`.
template <class Body>
auto with_sum_type(SumDtype dtype, const Body& body) {
  switch (dtype) {
    case SumDtype::kFloat16:
      return body(Fp16{});
    case SumDtype::kBFloat16:
      return body(Bf16{});
    case SumDtype::kFloat64:
      return body(double{0});
    case SumDtype::kInt32:
      return body(int32_t{0});
    case SumDtype::kInt64:
      return body(int64_t{0});
    default:
      return body(float{0});
  }
}

PW_HD uint32_t to_sum(int32_t number) {
  return static_cast<uint32_t>(number);
}
PW_HD uint64_t to_sum(int64_t number) {
  return static_cast<uint64_t>(number);
}
template <class Element>
PW_HD Wide<Element> to_sum(Element number) {
  return to_float(number);
}
PW_HD void from_sum(uint32_t sum, int32_t& to) {
  to = static_cast<int32_t>(sum);
}
PW_HD void from_sum(uint64_t sum, int64_t& to) {
  to = static_cast<int64_t>(sum);
}
template <class Element>
PW_HD void from_sum(Wide<Element> sum, Element& to) {
  from_float(sum, to);
}

// Instantiated for Index = int32_t and int64_t.
template <class Index>
void run_cpu(const OffsetsRangeJob<Index>& job);
template <class Index>
void run_cpu(const SegmentSumJob<Index>& job);
template <class Index>
void run_gpu(const OffsetsRangeJob<Index>& job, void* stream);
template <class Index>
void run_gpu(const SegmentSumJob<Index>& job, void* stream);

}  // namespace pinwheel
