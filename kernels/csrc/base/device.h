#pragma once

// Which device computes an operator, and how its kernels get there.
//
// PINWHEEL_GPU: this build has GPU kernels. PINWHEEL_GPU_EMULATOR: the tests' emulator runs them,
// on tensors of the CPU, so that the operators' tests reach them where there is no GPU.

#include "base/tensors.h"

#if defined(PINWHEEL_GPU) && !defined(PINWHEEL_GPU_EMULATOR)
#include <torch/csrc/stable/accelerator.h>
#endif

namespace pinwheel {

/// Whether the CPU computes what `tensor` is given to, and reads and checks its contents. A GPU is
/// not waited for, so there contents are only kept from leading outside.
inline bool is_on_cpu([[maybe_unused]] const Tensor& tensor) {
#ifdef PINWHEEL_GPU_EMULATOR
  return false;
#else
  return tensor.is_cpu();
#endif
}

#ifdef PINWHEEL_GPU
/// While it lives, a tensor's GPU is the current one, and kernels are enqueued on torch's current
/// stream there. Throws where torch has none.
class GpuTurn {
 public:
  explicit GpuTurn(const Tensor& tensor);
  void* stream() const { return stream_; }

 private:
#ifndef PINWHEEL_GPU_EMULATOR
  torch::stable::accelerator::DeviceGuard guard_;
#endif
  void* stream_ = nullptr;
};
#endif

}  // namespace pinwheel
