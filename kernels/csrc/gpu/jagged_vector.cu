#include "jobs/jagged_vector.h"

#include "gpu/device.h"
#include "units/jagged_vector_units.h"

// Roofline: memory. Each value row is read once in the forward pass and once for the weights'
// gradient, and its gradient is written once; two operations per element. The small tensors, [B *
// heads, columns] and [B * heads, max_L], stay in the caches. Forward: one thread per 16-byte pack
// of the result; it walks down the group's rows with 4 loads in flight, and adjacent threads read
// adjacent packs. No sum crosses threads. The weights' gradient: one group of 32 lanes per entry,
// reduced by shuffles in a fixed order. The values' gradient: one thread per pack written. All are
// deterministic.

namespace pinwheel {
namespace jagged_vector_kernels {

using namespace gpu;

template <class Element, int kElements, class Index>
struct TimesJagged {
  VectorTimesJaggedJob<Index> job;
  PW_HD void operator()(int64_t i) const {
    const int64_t packs = job.shape.columns / kElements;
    vector_times_jagged_unit<Element, kElements>(job, i / packs, i % packs);
  }
};

template <class Element, int kElements, class Index>
struct ToJagged {
  JaggedGradientJob<Index> job;
  PW_HD void operator()(int64_t i) const { jagged_gradient_unit<Element, kElements>(job, i); }
};

template <class Element, int kElements, class Index>
__global__ void vector_gradient_kernel(VectorGradientJob<Index> job, int64_t entries) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int64_t group = static_cast<int64_t>(blockIdx.x) * kGroups + threadIdx.x / kLanes;
  const int64_t groups = static_cast<int64_t>(gridDim.x) * kGroups;
  const int64_t max_length = job.shape.jagged.max_length[0];
  for (int64_t i = group; i < entries; i += groups) {
    Wide<Element> sum =
        vector_gradient_part<Element, kElements>(job, i / max_length, i % max_length, lane, kLanes);
    for (int mask = kLanes / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
    if (lane == 0) from_float(sum, static_cast<Element*>(job.out)[i]);
  }
}

template <class Index>
int64_t vectors_of(const JaggedVectorShape<Index>& shape) {
  return shape.jagged.groups[0] * shape.heads;
}

template <class Element, int kElements, class Index>
void launch_packs(const VectorTimesJaggedJob<Index>& job, void* stream) {
  launch_units("batched_dense_vec_jagged_2d_mul", TimesJagged<Element, kElements, Index>{job},
               vectors_of(job.shape) * (job.shape.columns / kElements), stream);
}

template <class Element, int kElements, class Index>
void launch_packs(const VectorGradientJob<Index>& job, void* stream) {
  const int64_t entries = vectors_of(job.shape) * job.shape.jagged.max_length[0];
  if (entries == 0) return;
  launch("batched_dense_vec_jagged_2d_mul, gradient of the vectors",
         &vector_gradient_kernel<Element, kElements, Index>, blocks_for(entries, kGroups),
         static_cast<Stream>(stream), job, entries);
}

template <class Element, int kElements, class Index>
void launch_packs(const JaggedGradientJob<Index>& job, void* stream) {
  const JaggedVectorShape<Index>& shape = job.shape;
  launch_units("batched_dense_vec_jagged_2d_mul, gradient of the values",
               ToJagged<Element, kElements, Index>{job},
               shape.jagged.value_rows * shape.heads * (shape.columns / kElements), stream);
}

/// `first` and `second` are the tensors that are read and written in packs.
template <class Job>
void run_job(const Job& job, const void* first, const void* second, void* stream) {
  with_real_type(job.shape.dtype, [&](auto element) {
    using Element = decltype(element);
    const int64_t head_bytes = job.shape.columns * static_cast<int64_t>(sizeof(Element));
    if (pack_elements<Element>(head_bytes, address(first), address(second)) == 1) {
      launch_packs<Element, 1>(job, stream);
    } else {
      launch_packs<Element, static_cast<int>(16 / sizeof(Element))>(job, stream);
    }
  });
}

}  // namespace jagged_vector_kernels

using namespace jagged_vector_kernels;

template <class Index>
void run_gpu(const VectorTimesJaggedJob<Index>& job, void* stream) {
  run_job(job, job.values, job.out, stream);
}
template <class Index>
void run_gpu(const VectorGradientJob<Index>& job, void* stream) {
  run_job(job, job.values, job.gradient, stream);
}
template <class Index>
void run_gpu(const JaggedGradientJob<Index>& job, void* stream) {
  run_job(job, job.gradient, job.out, stream);
}

template void run_gpu(const VectorTimesJaggedJob<int32_t>&, void*);
template void run_gpu(const VectorTimesJaggedJob<int64_t>&, void*);
template void run_gpu(const VectorGradientJob<int32_t>&, void*);
template void run_gpu(const VectorGradientJob<int64_t>&, void*);
template void run_gpu(const JaggedGradientJob<int32_t>&, void*);
template void run_gpu(const JaggedGradientJob<int64_t>&, void*);

}  // namespace pinwheel
