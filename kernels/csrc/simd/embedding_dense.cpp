#include "simd/embedding_dense.h"

#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// Two accumulators, to break the dependency chain.
template <class A, class B>
PW_SIMD float dot(const A* a, const B* b, int64_t count) {
  Floats even = splat(0);
  Floats odd = splat(0);
  int64_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) {
    even = fma(load(a + i), load(b + i), even);
    odd = fma(load(a + i + kLanes), load(b + i + kLanes), odd);
  }
  for (; i + kLanes <= count; i += kLanes) even = fma(load(a + i), load(b + i), even);
  if (i < count) odd = fma(load_part(a + i, count - i), load_part(b + i, count - i), odd);
  return sum_of(even + odd);
}

template <class Weight, class Index>
PW_SIMD void fetch(const IndiceWeightsGradientJob<Index>& job, const TbeTable& table,
                   const Weight* rows, int64_t i) {
  const int64_t row = job.bags.row_at(i, table);
  const char* const at = reinterpret_cast<const char*>(rows + (row < 0 ? 0 : row) * table.stride);
  const int64_t bytes = table.columns * static_cast<int64_t>(sizeof(Weight));
  for (int64_t k = 0; k < bytes; k += 64) __builtin_prefetch(at + k, 0, 3);
}

template <class Grad, class Weight, class Index>
PW_SIMD int64_t gradient_of_bags(const IndiceWeightsGradientJob<Index>& job, int64_t first,
                                 int64_t last) {
  constexpr int64_t kAhead = 12;
  for (int64_t bag = first; bag < last; ++bag) {
    const TbeTable table = job.tables.at(bag / job.bags.batch);
    const Weight* const rows = static_cast<const Weight*>(job.weights) + table.first;
    const Grad* const grad = static_cast<const Grad*>(job.grad) +
                             bag % job.bags.batch * job.grad_columns + table.out_column;
    const TbeBag span = job.bags.at(bag);
    const int64_t end = span.begin + span.length;
    const float scale =
        job.pooling == Pooling::kMean ? 1.0f / static_cast<float>(span.length) : 1.0f;
    for (int64_t i = span.begin; i < end; ++i) {
      if (i + kAhead < end) fetch(job, table, rows, i + kAhead);
      const int64_t row = job.bags.row_at(i, table);
      if (row < 0) return i;
      job.out[i] = dot(grad, rows + row * table.stride, table.columns) * scale;
    }
  }
  return -1;
}

template <class Index>
PW_SIMD int64_t gradient(const IndiceWeightsGradientJob<Index>& job, int64_t first, int64_t last) {
  return with_float_type(job.grad_dtype, [&](auto grad) {
    return with_float_type(job.weights_dtype, [&](auto weight) {
      return gradient_of_bags<decltype(grad), decltype(weight)>(job, first, last);
    });
  });
}

}  // namespace

int64_t indice_weights_gradient(const IndiceWeightsGradientJob<int32_t>& job, int64_t first,
                                int64_t last) {
  return gradient(job, first, last);
}

int64_t indice_weights_gradient(const IndiceWeightsGradientJob<int64_t>& job, int64_t first,
                                int64_t last) {
  return gradient(job, first, last);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
