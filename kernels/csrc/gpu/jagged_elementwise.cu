#include "jobs/jagged_elementwise.h"

#include "gpu/device.h"
#include "units/jagged_elementwise_units.h"

// Roofline: memory. A kept value row is read once, its dense row read once and the result written
// once, 3 * row bytes, and two operations per element: far below the arithmetic peak. One thread
// per 16-byte pack of the result (one element if rows are not multiples of 16 bytes), so that
// adjacent threads access adjacent packs. Each thread searches for its row's group; the offsets
// stay in the caches. That takes a quarter to an eighth of the load and store instructions of
// FBGEMM's scalar accesses. No sum crosses threads: deterministic.

namespace pinwheel {
namespace jagged_elementwise_kernels {

using namespace gpu;

template <Combine how, class Element, int kElements, class Index>
struct ToJagged {
  CombineToJaggedJob<Index> job;
  PW_HD void operator()(int64_t i) const {
    combine_to_jagged_unit<how, Element, kElements>(job, i);
  }
};

template <Combine how, class Element, int kElements, class Index>
struct ToDense {
  CombineToDenseJob<Index> job;
  PW_HD void operator()(int64_t i) const { combine_to_dense_unit<how, Element, kElements>(job, i); }
};

template <Combine how, class Element, int kElements, class Index>
void launch_packs(const CombineToJaggedJob<Index>& job, void* stream) {
  launch_units("jagged_dense_elementwise, jagged", ToJagged<how, Element, kElements, Index>{job},
               job.jagged.value_rows * (job.row_elements / kElements), stream);
}

template <Combine how, class Element, int kElements, class Index>
void launch_packs(const CombineToDenseJob<Index>& job, void* stream) {
  launch_units("jagged_dense_elementwise, dense", ToDense<how, Element, kElements, Index>{job},
               job.dense_rows * (job.row_elements / kElements), stream);
}

template <class Element, class Job>
void launch_elements(const Job& job, int pack, void* stream) {
  constexpr int kElements = static_cast<int>(16 / sizeof(Element));
  const bool add = job.combine == Combine::kAdd;
  if (pack == 1) {
    add ? launch_packs<Combine::kAdd, Element, 1>(job, stream)
        : launch_packs<Combine::kMultiply, Element, 1>(job, stream);
  } else {
    add ? launch_packs<Combine::kAdd, Element, kElements>(job, stream)
        : launch_packs<Combine::kMultiply, Element, kElements>(job, stream);
  }
}

}  // namespace jagged_elementwise_kernels

using namespace jagged_elementwise_kernels;

template <class Index>
void run_gpu(const CombineToJaggedJob<Index>& job, void* stream) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    const int pack =
        pack_elements<Element>(job.row_elements * static_cast<int64_t>(sizeof(Element)),
                               address(job.values), address(job.dense), address(job.out));
    launch_elements<Element>(job, pack, stream);
  });
}

template <class Index>
void run_gpu(const CombineToDenseJob<Index>& job, void* stream) {
  with_real_type(job.dtype, [&](auto element) {
    using Element = decltype(element);
    const int pack =
        pack_elements<Element>(job.row_elements * static_cast<int64_t>(sizeof(Element)),
                               address(job.values), address(job.other), address(job.out));
    launch_elements<Element>(job, pack, stream);
  });
}

template void run_gpu(const CombineToJaggedJob<int32_t>&, void*);
template void run_gpu(const CombineToJaggedJob<int64_t>&, void*);
template void run_gpu(const CombineToDenseJob<int32_t>&, void*);
template void run_gpu(const CombineToDenseJob<int64_t>&, void*);

}  // namespace pinwheel
