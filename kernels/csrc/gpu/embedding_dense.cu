// The gradients of lookups. Bytes for the dense gradient: it is zeroed once; for each index its
// bag's gradient is read and an 8-byte key is sorted with an 8-byte payload; each row that occurs
// is written. The sort is stable, so one sum in that order gives bitwise identical results in every
// run, without atomics. The lanes of a row's first occurrence process the whole row, with loads of
// 4 occurrences in flight; a row that makes up most of the batch is therefore left to few lanes.

#include "jobs/embedding_dense.h"

#include "gpu/device.h"
#include "units/embedding_dense_units.h"

namespace pinwheel {
namespace embedding_dense_kernels {

using namespace gpu;

template <class Index>
struct Occurrence {
  OccurrencesJob<Index> job;
  PW_HD void operator()(int64_t i) const { occurrence_unit(job, i); }
};

template <class Grad, class Index>
struct SortedGradient {
  SortedGradientJob<Index> job;
  int lanes;
  PW_HD void operator()(int64_t i) const { sorted_gradient_unit<Grad>(job, lanes, i); }
};

/// One group of lanes per bag.
template <class Grad, class Weight, class Index>
__global__ void indice_weights_kernel(IndiceWeightsGradientJob<Index> job) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  for (int64_t number = group; number < job.bags.count; number += groups) {
    const PlainChunks<Weight> chunks(job.weights, job.tables.at(number / job.bags.batch));
    const TbeBag bag = job.bags.at(number);
    const Grad* const grad = static_cast<const Grad*>(job.grad) +
                             number % job.bags.batch * job.grad_columns + chunks.table.out_column;
    for (int64_t i = bag.begin; i < bag.begin + bag.length; ++i) {
      const int64_t row = job.bags.row_at(i, chunks.table);
      float sum = row < 0 ? 0.0f : part_of_dot(grad, chunks, row, lane, kLanes);
      for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
      if (job.pooling == Pooling::kMean) sum /= static_cast<float>(bag.length);
      if (lane == 0) job.out[i] = sum;
    }
  }
}

}  // namespace embedding_dense_kernels

using namespace embedding_dense_kernels;

template <class Index>
void run_gpu(const OccurrencesJob<Index>& job, void* stream) {
  gpu::launch_units("tbe_backward_dense", Occurrence<Index>{job}, job.of.bags.positions, stream);
}

template <class Index>
void run_gpu(const SortedGradientJob<Index>& job, void* stream) {
  const DenseGradientJob<Index>& of = job.of;
  if (of.tables.count == 0 || of.tables.total_D == 0) return;
  with_float_type(of.grad_dtype, [&](auto grad) {
    const int64_t columns = (of.tables.total_D + of.tables.count - 1) / of.tables.count;
    const int lanes = lanes_for_row(columns * static_cast<int64_t>(sizeof(grad)));
    gpu::launch_units("tbe_backward_dense", SortedGradient<decltype(grad), Index>{job, lanes},
                      of.bags.positions * lanes, stream);
  });
}

template <class Index>
void run_gpu(const IndiceWeightsGradientJob<Index>& job, void* stream) {
  if (job.bags.count == 0) return;
  with_float_type(job.grad_dtype, [&](auto grad) {
    with_float_type(job.weights_dtype, [&](auto weight) {
      gpu::launch("tbe_backward_indice_weights",
                  &indice_weights_kernel<decltype(grad), decltype(weight), Index>,
                  gpu::blocks_for(job.bags.count, gpu::kGroups), static_cast<gpu::Stream>(stream),
                  job);
    });
  });
}

template void run_gpu(const OccurrencesJob<int32_t>&, void*);
template void run_gpu(const OccurrencesJob<int64_t>&, void*);
template void run_gpu(const SortedGradientJob<int32_t>&, void*);
template void run_gpu(const SortedGradientJob<int64_t>&, void*);
template void run_gpu(const IndiceWeightsGradientJob<int32_t>&, void*);
template void run_gpu(const IndiceWeightsGradientJob<int64_t>&, void*);

}  // namespace pinwheel
