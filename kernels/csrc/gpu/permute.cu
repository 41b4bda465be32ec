#include "jobs/permute.h"

#include "gpu/device.h"
#include "gpu/with_word.h"
#include "units/permute_units.h"

namespace pinwheel {
namespace permute_kernels {

using namespace gpu;

/// One group of lanes per feature.
template <class Index>
__global__ void feature_sums_kernel(FeatureSumsJob<Index> job) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  for (int64_t t = group; t < job.features; t += groups) {
    const Index* const row = job.lengths + t * job.batch;
    unsigned long long sum = 0;  // wraps around where contents are wrong
    for (int64_t b = lane; b < job.batch; b += kLanes)
      sum += static_cast<unsigned long long>(row[b]);
    for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane == 0) job.sums[t] = static_cast<int64_t>(sum);
  }
}

template <class Index>
struct PermuteLengths {
  PermuteLengthsJob<Index> job;
  PW_HD void operator()(int64_t i) const { permute_lengths_unit(job, i); }
};

template <class Word>
struct CopySegments {
  SegmentCopyJob job;
  PW_HD void operator()(int64_t i) const { segment_copy_unit<Word>(job, i); }
};

}  // namespace permute_kernels

using namespace permute_kernels;

template <class Index>
void run_gpu(const FeatureSumsJob<Index>& job, void* stream) {
  if (job.features == 0) return;
  launch("permute_2D_sparse_data", &feature_sums_kernel<Index>, blocks_for(job.features, kGroups),
         static_cast<Stream>(stream), job);
}

template <class Index>
void run_gpu(const PermuteLengthsJob<Index>& job, void* stream) {
  launch_units("permute_2D_sparse_data", PermuteLengths<Index>{job},
               job.features_out * (job.batch + 1), stream);
}

void run_gpu(const SegmentCopyJob& job, void* stream) {
  with_word(job.word_bytes, [&](auto word) {
    launch_units("permute_2D_sparse_data", CopySegments<decltype(word)>{job},
                 job.out_elements * job.columns, stream);
  });
}

template void run_gpu(const FeatureSumsJob<int32_t>&, void*);
template void run_gpu(const FeatureSumsJob<int64_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int32_t>&, void*);
template void run_gpu(const PermuteLengthsJob<int64_t>&, void*);

}  // namespace pinwheel
