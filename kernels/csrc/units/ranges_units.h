#pragma once

// What one GPU thread does for unit `i` of the jobs on ranges; see jagged_units.h.

#include "index/ranges.h"
#include "jobs/ranges.h"
#include "units/pack.h"

namespace pinwheel {

/// Positions that one thread writes at once: 16 bytes.
template <class Index>
constexpr int kPositions = static_cast<int>(16 / sizeof(Index));

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
