#include "repair/gpu_requirement.h"

#include "unit/repair/demo_repair.h"

namespace pinwheel::repair {
namespace {

TEST_CASE("distributions of CUDA 12 have a suffix and a directory each") {
  CHECK(gpu_requirement("libcudart.so.12", {}) ==
        GpuRequirement{"nvidia-cuda-runtime-cu12", "nvidia/cuda_runtime/lib"});
  CHECK(gpu_requirement("libcufft.so.11", 12) ==
        GpuRequirement{"nvidia-cufft-cu12", "nvidia/cufft/lib"});
}

TEST_CASE("those of CUDA 13 have neither, unless they have releases of their own") {
  CHECK(gpu_requirement("libcublasLt.so.13", {}) ==
        GpuRequirement{"nvidia-cublas>=13,<14", "nvidia/cu13/lib"});
  CHECK(gpu_requirement("libcufft.so.12", 13) ==
        GpuRequirement{"nvidia-cufft>=12,<13", "nvidia/cu13/lib"});
  CHECK(gpu_requirement("libcufile.so.0", 13) ==
        GpuRequirement{"nvidia-cufile", "nvidia/cu13/lib"});
  CHECK(gpu_requirement("libnccl.so.2", 13) ==
        GpuRequirement{"nvidia-nccl-cu13", "nvidia/nccl/lib"});
}

TEST_CASE("without a known CUDA there is no requirement") {
  CHECK_FALSE(gpu_requirement("libcurand.so.10", {}));
  CHECK_FALSE(gpu_requirement("libamdhip64.so.7", 13));
}

TEST_CASE("the CUDA of a wheel") {
  const inspect::WheelFacts wheel = demo_wheel({});
  CHECK(cuda_major(wheel, {"libcufft.so.11", "libcudart.so.12"}) == 12);
  CHECK(cuda_major(wheel, {"libcufft.so.11"}) == std::nullopt);
  CHECK(cuda_major(demo_wheel({}, "nvidia-cublas-cu12"), {}) == 12);
}

}  // namespace
}  // namespace pinwheel::repair
