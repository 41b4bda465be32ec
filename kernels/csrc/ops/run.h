#pragma once

#include "base/device.h"

namespace pinwheel {

/// Runs a job of jobs/ on the device of `data`: synchronously on the CPU, enqueued on torch's
/// current stream on a GPU.
template <class Job>
void run(const Job& job, const Tensor& data) {
  if (is_on_cpu(data)) return run_cpu(job);
#ifdef PINWHEEL_GPU
  const GpuStreamGuard guard(data);
  run_gpu(job, guard.stream());
#endif
}

}  // namespace pinwheel
