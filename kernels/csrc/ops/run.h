#pragma once

#include "base/device.h"

namespace pinwheel {

/// Runs a job of kernels/ where `data` lies: on the CPU now, on a GPU enqueued on torch's current
/// stream.
template <class Job>
void run(const Job& job, const Tensor& data) {
  if (is_on_cpu(data)) return run_cpu(job);
#ifdef PINWHEEL_GPU
  const GpuTurn turn(data);
  run_gpu(job, turn.stream());
#endif
}

}  // namespace pinwheel
