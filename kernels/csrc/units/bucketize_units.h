#pragma once

// What GPU threads do for the jobs of bucketize.h; see jagged_units.h.

#include "index/host_device.h"
#include "index/segments.h"
#include "index/untrusted.h"
#include "jobs/bucketize.h"

namespace pinwheel {

/// The spec of feature `job.first + k`.
PW_HD BucketSpec spec_of(const BucketFeaturesJob& job, int64_t k) {
  const int64_t t = job.first + k;
  BucketSpec spec;
  spec.block_size = job.block_sizes[t];
  spec.blocks = job.blocks == nullptr ? job.ranks : job.blocks[t];
  spec.ranks = job.ranks;
  spec.keep_index = job.keep_index == nullptr ? job.keep_all : job.keep_index[t];
  spec.bounds = job.bounds[k];
  spec.bound_count = job.bound_counts[k];
  return spec;
}

/// Indices [begin, begin + length) of a feature. Out-of-range offsets are clamped.
struct Bag {
  int64_t begin = 0;
  int64_t length = 0;
  int64_t feature = 0;
};

template <class Index, class Length>
PW_HD Bag bag_at(const BucketizeJob<Index, Length>& job, int64_t number) {
  if (number >= job.bags) return Bag{};
  const int64_t feature =
      job.bag_starts == nullptr
          ? static_cast<int64_t>(job.batch.quotient(static_cast<uint64_t>(number)))
          : segment_of(job.bag_starts, job.feature_count, number);
  if (feature < 0 || feature >= job.feature_count) return Bag{};
  const int64_t begin = clamped(job.offsets[number], job.count);
  const int64_t end = clamped(job.offsets[number + 1], job.count);
  const int64_t length = length_within(begin, end, job.count);
  return length > 0 ? Bag{begin, length, feature} : Bag{};
}

/// The bytes of an element; elements have 1, 2, 4 or 8.
PW_HD uint64_t element_at(const void* in, int64_t at, int64_t bytes) {
  switch (bytes) {
    case 1:
      return static_cast<const uint8_t*>(in)[at];
    case 2:
      return static_cast<const uint16_t*>(in)[at];
    case 4:
      return static_cast<const uint32_t*>(in)[at];
    default:
      return static_cast<const uint64_t*>(in)[at];
  }
}

PW_HD void set_element(void* out, int64_t at, uint64_t element, int64_t bytes) {
  switch (bytes) {
    case 1:
      static_cast<uint8_t*>(out)[at] = static_cast<uint8_t>(element);
      break;
    case 2:
      static_cast<uint16_t*>(out)[at] = static_cast<uint16_t>(element);
      break;
    case 4:
      static_cast<uint32_t*>(out)[at] = static_cast<uint32_t>(element);
      break;
    default:
      static_cast<uint64_t*>(out)[at] = element;
  }
}

}  // namespace pinwheel
