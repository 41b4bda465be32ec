#pragma once

// What one GPU thread does for unit `i` of a permutation's jobs; see jagged_units.h.

#include "index/host_device.h"
#include "index/segments.h"
#include "index/split.h"
#include "index/untrusted.h"
#include "jobs/permute.h"

namespace pinwheel {

/// Unit i = t * (batch + 1) + b: length b of output feature t; b == batch is the feature's source.
template <class Index, class Entry>
PW_HD void permute_lengths_unit(const PermuteLengthsJob<Index, Entry>& job, int64_t i) {
  const Split at = split(i, job.batch + 1);
  const int64_t t = at.quotient;
  const int64_t b = at.rest;
  const int64_t feature = job.permute[t];
  const bool inside = feature >= 0 && feature < job.features_in;
  if (b < job.batch) {
    job.out_lengths[t * job.batch + b] = inside ? job.lengths[feature * job.batch + b] : Index{0};
  } else {
    job.sources[t] = inside ? feature : -1;
  }
}

/// Where the segment starts in the input; INT64_MIN if nowhere.
PW_HD int64_t start_of(const SegmentCopyJob& job, int64_t segment) {
  if (job.sources == nullptr) return job.starts[segment];
  const int64_t source = job.sources[segment];
  return source < 0 ? INT64_MIN : job.starts[source];
}

/// Unit i: word i of the output.
template <class Word>
PW_HD void segment_copy_unit(const SegmentCopyJob& job, int64_t i) {
  const int64_t element = job.columns == 1 ? i : split(i, job.columns).quotient;
  const int64_t segment = segment_of(job.offsets, job.segments, element);
  const int64_t from = segment < 0
                           ? -1
                           : wrapping_sum(start_of(job, segment),
                                          wrapping_difference(element, job.offsets[segment]));
  static_cast<Word*>(job.out)[i] =
      from < 0 || from >= job.in_elements
          ? Word{}
          : static_cast<const Word*>(job.in)[from * job.columns + (i - element * job.columns)];
}

}  // namespace pinwheel
