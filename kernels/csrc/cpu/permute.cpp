#include "jobs/permute.h"

#include <cstring>

#include "cpu/parallel.h"
#include "index/segments.h"

namespace pinwheel {

namespace {

/// Below this, waking and joining threads costs more than it saves.
constexpr int64_t kBytesPerThread = 1024 * 1024;

template <class Index>
void sum_features(const PermutePlanJob<Index>& job) {
  const int64_t bytes = job.batch * static_cast<int64_t>(sizeof(Index));
  int64_t* const sums = job.in_offsets + 1;
  parallel_over(
      job.features_in, bytes,
      [&](int64_t first, int64_t last) {
        for (int64_t t = first; t < last; ++t) {
          const Index* const row = job.lengths + t * job.batch;
          int64_t sum = 0;
          for (int64_t b = 0; b < job.batch; ++b) sum += row[b];
          sums[t] = sum;
        }
      },
      kBytesPerThread);
}

template <class Index>
void permute_rows(const PermutePlanJob<Index>& job) {
  const int64_t bytes = job.batch * static_cast<int64_t>(sizeof(Index));
  parallel_over(
      job.features_out, bytes,
      [&](int64_t first, int64_t last) {
        for (int64_t t = first; t < last; ++t) {
          std::copy_n(job.lengths + job.permute[t] * job.batch, job.batch,
                      job.out_lengths + t * job.batch);
        }
      },
      kBytesPerThread);
}

/// Copies in whole blocks, so that the lengths of short and empty segments cause no branch
/// mispredictions; bytes written past the end are overwritten later. May access `to_room` and
/// `from_room` bytes from the start on.
void copy_in_blocks(unsigned char* to, int64_t to_room, const unsigned char* from,
                    int64_t from_room, int64_t bytes) {
  constexpr int64_t kBlock = 32;
  constexpr int64_t kShort = 512;
  if (bytes > kShort || bytes + kBlock > to_room || bytes + kBlock > from_room) {
    std::memcpy(to, from, bytes);
    return;
  }
  int64_t done = 0;
  do {
    std::memcpy(to + done, from + done, kBlock);
    done += kBlock;
  } while (done < bytes);
}

void copy_segments(const SegmentCopyJob& job, int64_t first, int64_t last, int64_t segment) {
  constexpr int64_t kAhead = 8;
  const int64_t size = job.columns * job.word_bytes;
  const unsigned char* const in = static_cast<const unsigned char*>(job.in);
  unsigned char* const out = static_cast<unsigned char*>(job.out);
  for (int64_t at = first; at < last; ++segment) {
    // The sources of the next segments follow no pattern that a hardware prefetcher could detect.
    const int64_t next = std::min(segment + kAhead, job.segments - 1);
    __builtin_prefetch(in + job.starts[next] * size);
    const int64_t end = std::min(last, job.offsets[segment + 1]);
    const int64_t from = job.starts[segment] + (at - job.offsets[segment]);
    copy_in_blocks(out + at * size, (last - at) * size, in + from * size,
                   (job.in_elements - from) * size, (end - at) * size);
    at = end;
  }
}

}  // namespace

template <class Index>
void run_cpu(const PermutePlanJob<Index>& job) {
  const bool single = job.batch == 1;
  if (!single) sum_features(job);
  int64_t start = 0;
  for (int64_t t = 0; t < job.features_in; ++t) {
    const int64_t sum = single ? static_cast<int64_t>(job.lengths[t]) : job.in_offsets[t + 1];
    job.in_offsets[t] = start;
    start += sum;
  }
  job.in_offsets[job.features_in] = start;
  start = 0;
  for (int64_t t = 0; t < job.features_out; ++t) {
    const int64_t* const span = job.in_offsets + job.permute[t];
    job.out_starts[t] = span[0];
    job.out_offsets[t] = start;
    start += span[1] - span[0];
    if (single) job.out_lengths[t] = static_cast<Index>(span[1] - span[0]);
  }
  job.out_offsets[job.features_out] = start;
  if (!single) permute_rows(job);
}

void run_cpu(const SegmentCopyJob& one, const SegmentCopyJob* other) {
  const int64_t bytes =
      one.columns * one.word_bytes + (other == nullptr ? 0 : other->columns * other->word_bytes);
  // Split by output elements, not by segments: one long segment is shared by all threads.
  parallel_over(
      one.out_elements, bytes,
      [&](int64_t first, int64_t last) {
        const int64_t segment = segment_of(one.offsets, one.segments, first);
        copy_segments(one, first, last, segment);
        if (other != nullptr) copy_segments(*other, first, last, segment);
      },
      kBytesPerThread);
}

template void run_cpu(const PermutePlanJob<int32_t>&);
template void run_cpu(const PermutePlanJob<int64_t>&);

}  // namespace pinwheel
