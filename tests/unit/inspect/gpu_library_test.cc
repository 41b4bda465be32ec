#include "inspect/gpu_library.h"

#include "unit/catch.h"

namespace pinwheel::inspect {
namespace {

TEST_CASE("libraries of GPU stacks are known by their vendors' names") {
  for (const char* const name :
       {"libcuda.so.1", "libnvidia-ml.so.1", "libnvcuvid.so.1", "libnvidia-encode.so.1",
        "libnvidia-opticalflow.so.1", "libnvoptix.so.1", "libGLX_nvidia.so.0", "libdxcore.so"}) {
    CAPTURE(name);
    CHECK(gpu_library(name) == GpuLibrary::driver);
    CHECK(is_driver_library(name));
  }
  for (const char* const name : {"libEGL.so.1", "libOpenCL.so.1", "libvulkan.so.1", "libgbm.so.1",
                                 "libGLESv2.so.2", "libze_loader.so.1"}) {
    CAPTURE(name);
    CHECK(gpu_library(name) == GpuLibrary::loader);
    CHECK(is_driver_library(name));
  }
  for (const char* const name :
       {"libcudart.so.13", "libcublasLt.so.13", "libcudnn_ops.so.9", "libcusolverMg.so.12",
        "libnppig.so.13", "libamdhip64.so.7", "libhipblaslt.so.1", "librocblas.so.5"}) {
    CAPTURE(name);
    CHECK(gpu_library(name) == GpuLibrary::stack);
    CHECK_FALSE(is_driver_library(name));
  }
  for (const char* const name :
       {"libnvrtc-builtins.so.13.0", "libnvvm.so.4", "libcufftw.so.12", "libcufile_rdma.so.1",
        "libcudss.so.0", "libnvcomp.so.5", "libnvinfer_plugin.so.10", "libhipsparselt.so.0",
        "libamd_comgr.so.3", "librocm-core.so.1", "librocprofiler-register.so.0",
        "libroctracer64.so.4", "librocm_smi64.so.1", "libamd_smi.so.26", "libhiptensor.so.0"}) {
    CAPTURE(name);
    CHECK(gpu_library(name) == GpuLibrary::vendor);
  }
}

TEST_CASE("names that begin alike belong to others") {
  for (const char* const name :
       {"libcurl.so.4", "libcups.so.2", "libcunit.so.1", "libnvme.so.1", "libnvpair.so.3",
        "librocksdb.so.9", "libroc.so.0.3", "libamd.so.3", "libva.so.2", "libGLU.so.1",
        "libGLEW.so.2.2", "libtorch_cuda.so", "my_libcuda.so.1"}) {
    CAPTURE(name);
    CHECK(gpu_library(name) == GpuLibrary::none);
  }
}

TEST_CASE("a file's directory or distribution may say that it is a vendor's") {
  for (const char* const path :
       {"/usr/local/cuda-13.0/lib64/libodd.so.1", "/opt/rocm-7.1.0/lib/libodd.so.1",
        "/srv/cuda-12.8/lib64/libodd.so.1", "/env/targets/x86_64-linux/lib/libodd.so.1",
        "/usr/lib/x86_64-linux-gnu/nvidia/current/libodd.so.1",
        "/env/lib/python3.12/site-packages/nvidia/cu13/lib/libodd.so.1"}) {
    CAPTURE(path);
    CHECK(is_in_gpu_directory(path));
  }
  for (const char* const path : {"/usr/lib/x86_64-linux-gnu/libodd.so.1", "/opt/x/lib/libodd.so.1",
                                 "/project/src/cuda/build/libodd.so.1"}) {
    CAPTURE(path);
    CHECK_FALSE(is_in_gpu_directory(path));
  }
  CHECK(is_gpu_distribution("nvidia-cudss-cu13"));
  CHECK(is_gpu_distribution("rocm-sdk-core"));
  CHECK_FALSE(is_gpu_distribution("tbb"));
}

}  // namespace
}  // namespace pinwheel::inspect
