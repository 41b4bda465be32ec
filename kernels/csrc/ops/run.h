#pragma once

#include "base/tensors.h"

namespace pinwheel {

/// Runs a job of kernels/ where `data` lies: on the CPU now, on a GPU enqueued on torch's current
/// stream.
template <class Job>
void run(const Job& job, const Tensor& data) {
  if (data.is_cpu()) return run_cpu(job);
#ifdef PINWHEEL_GPU
  const torch::stable::accelerator::DeviceGuard guard(data.get_device_index());
  run_gpu(job, current_stream(data));
#endif
}

}  // namespace pinwheel
