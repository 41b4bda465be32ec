#include "simd/ranges.h"

#include "index/ranges.h"
#include "simd/vector.h"

namespace pinwheel::simd::PINWHEEL_ISA {
namespace {

/// Writes whole vectors while they fit in the thread's positions, even past the end of a segment:
/// the next segment overwrites the excess.
template <class Index>
PW_SIMD void count_up(const OffsetsRangeJob<Index>& job, int64_t start, int64_t first,
                      int64_t last) {
  constexpr int kNumbers = kLanes * sizeof(float) / sizeof(Index);
  typedef Index Numbers __attribute__((vector_size(kLanes * sizeof(float))));
  Numbers ramp;
  for (int k = 0; k < kNumbers; ++k) ramp[k] = static_cast<Index>(k);
  int64_t at = first;
  for (int64_t s = start; at < last; ++s) {
    const int64_t begin = job.starts[s];
    const int64_t next = s + 1 < job.count ? static_cast<int64_t>(job.starts[s + 1]) : job.size;
    const int64_t end = next < last ? next : last;
    Numbers numbers = ramp + static_cast<Index>(at - begin);
    if (end - at >= 4 * kNumbers) {  // vectors after the first must not straddle cache lines
      memcpy(job.out + at, &numbers, sizeof(numbers));
      const uintptr_t place = reinterpret_cast<uintptr_t>(job.out + at) / sizeof(Index);
      const int64_t step = kNumbers - static_cast<int64_t>(place % kNumbers);
      at += step;
      numbers += static_cast<Index>(step);
    }
    for (; at < end && at + kNumbers <= last; at += kNumbers) {
      memcpy(job.out + at, &numbers, sizeof(numbers));
      numbers += static_cast<Index>(kNumbers);
    }
    for (; at < end; ++at) job.out[at] = static_cast<Index>(at - begin);
    at = end;
  }
}

/// Several accumulators, to break the dependency chain.
template <class Element>
PW_SIMD float sum_of_elements(const Element* values, int64_t count) {
  constexpr int kVectors = 4;
  Floats sums[kVectors];
  for (int v = 0; v < kVectors; ++v) sums[v] = splat(0);
  int64_t i = 0;
  for (; i + kVectors * kLanes <= count; i += kVectors * kLanes) {
    for (int v = 0; v < kVectors; ++v) sums[v] = sums[v] + load(values + i + v * kLanes);
  }
  for (; i + kLanes <= count; i += kLanes) sums[0] = sums[0] + load(values + i);
  if (i < count) sums[1] = sums[1] + load_part(values + i, count - i);
  return sum_of((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

PW_SIMD double sum_of_elements(const double* values, int64_t count) {
  constexpr int kSums = 8;
  double sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int k = 0; k < kSums; ++k) sums[k] += values[i + k];
  }
  for (; i < count; ++i) sums[0] += values[i];
  for (int k = 1; k < kSums; ++k) sums[0] += sums[k];
  return sums[0];
}

PW_SIMD uint32_t sum_of_elements(const int32_t* values, int64_t count) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<uint32_t>(values[i]);
  return sum;
}

PW_SIMD uint64_t sum_of_elements(const int64_t* values, int64_t count) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<uint64_t>(values[i]);
  return sum;
}

template <class Index>
PW_SIMD void sum_segments(const SegmentSumJob<Index>& job, int64_t first, int64_t last) {
  with_sum_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    const Element* const values = static_cast<const Element*>(job.values);
    Element* const out = static_cast<Element*>(job.out);
    for (int64_t s = first; s < last; ++s) {
      const Span span = span_of(job.offsets, s, job.unit, job.size);
      const int64_t count = span.end - span.begin;
      if (count == 0) {
        out[s] = Element{};
      } else {
        from_sum(sum_of_elements(values + span.begin, count), out[s]);
      }
    }
  });
}

}  // namespace

void offsets_range(const OffsetsRangeJob<int32_t>& job, int64_t start, int64_t first,
                   int64_t last) {
  count_up(job, start, first, last);
}
void offsets_range(const OffsetsRangeJob<int64_t>& job, int64_t start, int64_t first,
                   int64_t last) {
  count_up(job, start, first, last);
}
void segment_sum(const SegmentSumJob<int32_t>& job, int64_t first, int64_t last) {
  sum_segments(job, first, last);
}
void segment_sum(const SegmentSumJob<int64_t>& job, int64_t first, int64_t last) {
  sum_segments(job, first, last);
}

}  // namespace pinwheel::simd::PINWHEEL_ISA
