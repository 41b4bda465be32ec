#include "base/device.h"

#include <stdexcept>

#if defined(PINWHEEL_GPU) && !defined(PINWHEEL_GPU_EMULATOR)

// Both libtorch_cuda and libtorch_hip export this name; torch's header hides it behind USE_CUDA.
extern "C" int32_t aoti_torch_get_current_cuda_stream(int32_t device_index, void** stream);

namespace pinwheel {

GpuStreamGuard::GpuStreamGuard(const Tensor& tensor) : guard_(tensor.get_device_index()) {
  if (aoti_torch_get_current_cuda_stream(tensor.get_device_index(), &stream_) != 0) {
    throw std::runtime_error("pinwheel: torch has no current stream for the tensor's device");
  }
}

}  // namespace pinwheel

#elif defined(PINWHEEL_GPU_EMULATOR)

namespace pinwheel {

GpuStreamGuard::GpuStreamGuard(const Tensor&) {}

}  // namespace pinwheel

#endif
