#pragma once

// What one GPU thread does for unit `i` of the jobs on ranges; see jagged_units.h.

#include "index/ranges.h"
#include "jobs/ranges.h"
#include "units/pack.h"

namespace pinwheel {

/// Positions that one thread writes: 16 bytes.
template <class Index>
constexpr int kPositions = static_cast<int>(16 / sizeof(Index));

/// Unit i: kPositions positions from i * kPositions on. One search for the first of them; the
/// others are in the same segment or one of the next. Positions before the first start get 0.
template <class Index>
PW_HD void offsets_range_unit(const OffsetsRangeJob<Index>& job, int64_t i) {
  const int64_t first = i * kPositions<Index>;
  int64_t start = last_start_at(job.starts, job.count, first);
  Pack<Index, kPositions<Index>> numbers;
  for (int k = 0; k < kPositions<Index>; ++k) {
    // Few of the segments in between are empty, except where a feature has no indices.
    for (int step = 0;
         start + 1 < job.count && static_cast<int64_t>(job.starts[start + 1]) <= first + k;
         ++step) {
      start = step < 8 ? start + 1 : last_start_at(job.starts, job.count, first + k);
    }
    numbers.at[k] = start < 0
                        ? Index{0}
                        : static_cast<Index>(wrapping_difference(first + k, job.starts[start]));
  }
  if (first + kPositions<Index> <= job.size) {
    // torch's allocations are aligned to more than 16 bytes.
    reinterpret_cast<Pack<Index, kPositions<Index>>*>(job.out)[i] = numbers;
    return;
  }
  PW_UNROLL
  for (int k = 0; k < kPositions<Index>; ++k) {
    if (first + k < job.size) job.out[first + k] = numbers.at[k];
  }
}

/// The sum over the elements of segment `s` that lane `lane` of `lanes` reads. In 16-byte packs if
/// `kElements` > 1: segments may still start anywhere, and unaligned ends are read element by
/// element.
template <class Element, int kElements, class Index>
PW_HD typename SumOf<Element>::type segment_sum_part(const SegmentSumJob<Index>& job, int64_t s,
                                                     int lane, int lanes) {
  const Element* const values = static_cast<const Element*>(job.values);
  const Span span = span_of(job.offsets, s, job.unit, job.size);
  const int64_t aligned = (span.begin + kElements - 1) / kElements;
  const int64_t packs_end = span.end / kElements;
  typename SumOf<Element>::type sum = 0;
  if (aligned >= packs_end) {
    for (int64_t i = span.begin + lane; i < span.end; i += lanes) sum += to_sum(values[i]);
    return sum;
  }
  for (int64_t i = span.begin + lane; i < aligned * kElements; i += lanes) sum += to_sum(values[i]);
  const Pack<Element, kElements>* const packs =
      static_cast<const Pack<Element, kElements>*>(job.values);
  for (int64_t p = aligned + lane; p < packs_end; p += lanes) {
    const Pack<Element, kElements> pack = packs[p];
    for (int k = 0; k < kElements; ++k) sum += to_sum(pack.at[k]);
  }
  for (int64_t i = packs_end * kElements + lane; i < span.end; i += lanes) sum += to_sum(values[i]);
  return sum;
}

}  // namespace pinwheel
