#pragma once

// Which device runs an operator, and the stream that its kernels are enqueued on.
//
// PINWHEEL_GPU: this build has GPU kernels. PINWHEEL_GPU_EMULATOR: the tests' emulator runs them on
// CPU tensors, so that the operators' tests cover them on machines without a GPU.

#include "base/tensors.h"

#if defined(PINWHEEL_GPU) && !defined(PINWHEEL_GPU_EMULATOR)
#include <torch/csrc/stable/accelerator.h>
#endif

namespace pinwheel {

/// Whether operators on `tensor` run on the CPU, where contents are read and checked. On a GPU that
/// would mean waiting for the device, so kernels only make sure that no access is out of bounds.
inline bool is_on_cpu([[maybe_unused]] const Tensor& tensor) {
#ifdef PINWHEEL_GPU_EMULATOR
  return false;
#else
  return tensor.is_cpu();
#endif
}

#ifdef PINWHEEL_GPU
/// RAII: makes the tensor's GPU the current device and holds torch's current stream on it. Throws
/// if torch has no stream.
class GpuStreamGuard {
 public:
  explicit GpuStreamGuard(const Tensor& tensor);
  void* stream() const { return stream_; }

 private:
#ifndef PINWHEEL_GPU_EMULATOR
  torch::stable::accelerator::DeviceGuard guard_;
#endif
  void* stream_ = nullptr;
};
#endif

}  // namespace pinwheel
