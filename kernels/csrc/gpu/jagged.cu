#include "jobs/jagged.h"

#include "gpu/device.h"
#include "gpu/with_word.h"
#include "units/jagged_units.h"

namespace pinwheel {
namespace jagged_kernels {

using namespace gpu;

template <class Word, class Index>
struct ToDense {
  JaggedToDenseJob<Index> job;
  PW_HD void operator()(int64_t i) const { to_dense_unit<Word>(job, i); }
};

template <class Word, class Index>
struct ToJagged {
  DenseToJaggedJob<Index> job;
  PW_HD void operator()(int64_t i) const { to_jagged_unit<Word>(job, i); }
};

}  // namespace jagged_kernels

using namespace jagged_kernels;

template <class Index>
void run_gpu(const JaggedToDenseJob<Index>& job, void* stream) {
  const int bytes = word_bytes(job.row_bytes, reinterpret_cast<uintptr_t>(job.values),
                               reinterpret_cast<uintptr_t>(job.dense));
  with_word(bytes, [&](auto word) {
    const ToDense<decltype(word), Index> body{job};
    launch_units("jagged_to_padded_dense", body, job.dense_rows * (job.row_bytes / bytes), stream);
  });
}

template <class Index>
void run_gpu(const DenseToJaggedJob<Index>& job, void* stream) {
  const int bytes = word_bytes(job.row_bytes, reinterpret_cast<uintptr_t>(job.values),
                               reinterpret_cast<uintptr_t>(job.dense));
  with_word(bytes, [&](auto word) {
    const ToJagged<decltype(word), Index> body{job};
    const int64_t count = job.jagged.value_rows * (job.row_bytes / bytes);
    launch_units("jagged_to_padded_dense_backward", body, count, stream);
  });
}

template void run_gpu(const JaggedToDenseJob<int32_t>&, void*);
template void run_gpu(const JaggedToDenseJob<int64_t>&, void*);
template void run_gpu(const DenseToJaggedJob<int32_t>&, void*);
template void run_gpu(const DenseToJaggedJob<int64_t>&, void*);

}  // namespace pinwheel
