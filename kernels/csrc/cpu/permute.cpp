#include "kernels/permute.h"

#include <cstring>

#include "cpu/parallel.h"
#include "index/segments.h"

namespace pinwheel {

template <class Index>
void run_cpu(const FeatureSumsJob<Index>& job) {
  parallel_over(job.features, job.batch * sizeof(Index), [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      const Index* const row = job.lengths + t * job.batch;
      int64_t sum = 0;
      for (int64_t b = 0; b < job.batch; ++b) sum += row[b];
      job.sums[t] = sum;
    }
  });
}

template <class Index>
void run_cpu(const PermuteLengthsJob<Index>& job) {
  parallel_over(job.features_out, job.batch * sizeof(Index), [&](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      const int64_t feature = job.permute[t];
      std::copy_n(job.lengths + feature * job.batch, job.batch, job.out_lengths + t * job.batch);
      job.out_sums[t] = job.sums[feature];
      job.out_starts[t] = job.starts[feature];
    }
  });
}

void run_cpu(const SegmentCopyJob& job) {
  const int64_t size = job.element_bytes;
  const unsigned char* const in = static_cast<const unsigned char*>(job.in);
  unsigned char* const out = static_cast<unsigned char*>(job.out);
  // Split by output elements, not by segments: one long segment is shared by all threads.
  parallel_over(job.out_elements, size, [&](int64_t first, int64_t last) {
    int64_t segment = segment_of(job.offsets, job.segments, first);
    for (int64_t at = first; at < last; ++segment) {
      const int64_t end = std::min(last, job.offsets[segment + 1]);
      if (end <= at) continue;  // an empty segment
      const int64_t from = job.starts[segment] + (at - job.offsets[segment]);
      std::memcpy(out + at * size, in + from * size, (end - at) * size);
      at = end;
    }
  });
}

template void run_cpu(const FeatureSumsJob<int32_t>&);
template void run_cpu(const FeatureSumsJob<int64_t>&);
template void run_cpu(const PermuteLengthsJob<int32_t>&);
template void run_cpu(const PermuteLengthsJob<int64_t>&);

}  // namespace pinwheel
