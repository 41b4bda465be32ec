#include "inspect/gpu_library.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace pinwheel::inspect {
namespace {

struct NamePattern {
  std::string_view pattern;
  GpuLibrary kind;
};

// The first that matches counts. Patterns have no braces, because every library of a wheel is
// compared with each.
constexpr auto kNamePatterns = std::to_array<NamePattern>({
    // The drivers of NVIDIA (with Tegra's and WSL's), AMD, Intel and Mesa.
    {"libcuda.so*", GpuLibrary::driver},
    {"libcudadebugger.so*", GpuLibrary::driver},
    {"libnvidia-*", GpuLibrary::driver},
    {"libnvcuvid.so*", GpuLibrary::driver},
    {"libnvoptix.so*", GpuLibrary::driver},
    {"libnvcucompat.so*", GpuLibrary::driver},
    {"libnvrm_*", GpuLibrary::driver},
    {"libnvbuf*", GpuLibrary::driver},
    {"libnvsci*", GpuLibrary::driver},
    {"libnvos.so*", GpuLibrary::driver},
    {"libGL*_nvidia.so*", GpuLibrary::driver},
    {"libEGL_nvidia.so*", GpuLibrary::driver},
    {"libvdpau_nvidia.so*", GpuLibrary::driver},
    {"libGLX_mesa.so*", GpuLibrary::driver},
    {"libEGL_mesa.so*", GpuLibrary::driver},
    {"libgallium-*", GpuLibrary::driver},
    {"libamdocl64.so*", GpuLibrary::driver},
    {"libigdrcl.so*", GpuLibrary::driver},
    {"libze_intel_*", GpuLibrary::driver},
    {"libdxcore.so*", GpuLibrary::driver},
    {"libd3d12*.so*", GpuLibrary::driver},
    // The libraries that open drivers (GLVND, GBM, the loaders of OpenCL, Vulkan and Level Zero).
    {"libEGL.so*", GpuLibrary::loader},
    {"libGL.so*", GpuLibrary::loader},
    {"libGLX.so*", GpuLibrary::loader},
    {"libGLdispatch.so*", GpuLibrary::loader},
    {"libOpenGL.so*", GpuLibrary::loader},
    {"libGLESv1_CM.so*", GpuLibrary::loader},
    {"libGLESv2.so*", GpuLibrary::loader},
    {"libgbm.so*", GpuLibrary::loader},
    {"libOpenCL.so*", GpuLibrary::loader},
    {"libvulkan.so*", GpuLibrary::loader},
    {"libze_loader.so*", GpuLibrary::loader},
    // CUDA.
    {"libnvrtc-builtins*", GpuLibrary::vendor},
    {"libcudart.so*", GpuLibrary::stack},
    {"libcublas.so*", GpuLibrary::stack},
    {"libcublasLt.so*", GpuLibrary::stack},
    {"libcublas*", GpuLibrary::vendor},
    {"libcudnn*", GpuLibrary::stack},
    {"libcufft.so*", GpuLibrary::stack},
    {"libcufft*", GpuLibrary::vendor},
    {"libcurand.so*", GpuLibrary::stack},
    {"libcusolver*", GpuLibrary::stack},
    {"libcusparse*", GpuLibrary::stack},
    {"libnccl*", GpuLibrary::stack},
    {"libnvrtc.so*", GpuLibrary::stack},
    {"libnvJitLink.so*", GpuLibrary::stack},
    {"libnvshmem*", GpuLibrary::stack},
    {"libnvToolsExt.so*", GpuLibrary::stack},
    {"libcupti.so*", GpuLibrary::stack},
    {"libcufile.so*", GpuLibrary::stack},
    {"libcufile_*", GpuLibrary::vendor},
    {"libnpp*.so*", GpuLibrary::stack},
    {"libnvjpeg.so*", GpuLibrary::stack},
    {"libnvjpeg*", GpuLibrary::vendor},
    {"libnvblas.so*", GpuLibrary::stack},
    {"libnvfatbin.so*", GpuLibrary::stack},
    {"libcutensor*", GpuLibrary::stack},
    {"libnvvm.so*", GpuLibrary::vendor},
    {"libcudla.so*", GpuLibrary::vendor},
    {"libcuinj64.so*", GpuLibrary::vendor},
    {"libaccinj64.so*", GpuLibrary::vendor},
    {"libcheckpoint.so*", GpuLibrary::vendor},
    {"libpcsamplingutil.so*", GpuLibrary::vendor},
    {"libnvperf_*", GpuLibrary::vendor},
    {"libcuobjclient*", GpuLibrary::vendor},
    // NVIDIA's packages with releases of their own.
    {"libcudss*", GpuLibrary::vendor},
    {"libcustatevec*", GpuLibrary::vendor},
    {"libcudensitymat*", GpuLibrary::vendor},
    {"libcupauliprop*", GpuLibrary::vendor},
    {"libcvcuda*", GpuLibrary::vendor},
    {"libnvcv_*", GpuLibrary::vendor},
    {"libnvcomp*", GpuLibrary::vendor},
    {"libnvinfer*", GpuLibrary::vendor},
    {"libnvonnxparser*", GpuLibrary::vendor},
    {"libnvparsers*", GpuLibrary::vendor},
    {"libnvtiff*", GpuLibrary::vendor},
    {"libnvimgcodec*", GpuLibrary::vendor},
    {"libmathdx*", GpuLibrary::vendor},
    // ROCm.
    {"libamdhip64.so*", GpuLibrary::stack},
    {"libhiprtc.so*", GpuLibrary::stack},
    {"libhiprtc*", GpuLibrary::vendor},
    {"libhipblas.so*", GpuLibrary::stack},
    {"libhipblaslt.so*", GpuLibrary::stack},
    {"libhipfft.so*", GpuLibrary::stack},
    {"libhiprand.so*", GpuLibrary::stack},
    {"libhipsparse.so*", GpuLibrary::stack},
    {"libhipsolver.so*", GpuLibrary::stack},
    {"libhip*", GpuLibrary::vendor},
    {"libhsa-runtime64.so*", GpuLibrary::stack},
    {"libhsa*", GpuLibrary::vendor},
    {"librocblas.so*", GpuLibrary::stack},
    {"librocsolver.so*", GpuLibrary::stack},
    {"librocsparse.so*", GpuLibrary::stack},
    {"librocfft.so*", GpuLibrary::stack},
    {"librocrand.so*", GpuLibrary::stack},
    {"libroctx64.so*", GpuLibrary::stack},
    {"libMIOpen.so*", GpuLibrary::stack},
    {"libMIOpen*", GpuLibrary::vendor},
    {"librccl.so*", GpuLibrary::stack},
    {"librccl*", GpuLibrary::vendor},
    {"librocblas*", GpuLibrary::vendor},
    {"librocfft*", GpuLibrary::vendor},
    {"librocalution*", GpuLibrary::vendor},
    {"librocdecode*", GpuLibrary::vendor},
    {"librocjpeg*", GpuLibrary::vendor},
    {"librocshmem*", GpuLibrary::vendor},
    {"librocdxg*", GpuLibrary::vendor},
    {"librocm*", GpuLibrary::vendor},
    {"librocprof*", GpuLibrary::vendor},
    {"libroctracer*", GpuLibrary::vendor},
    {"libamd_*", GpuLibrary::vendor},
    {"libamdhip*", GpuLibrary::vendor},
    {"libaqlprofile*", GpuLibrary::vendor},
    {"libmigraphx*", GpuLibrary::vendor},
    // oneAPI.
    {"libsycl.so*", GpuLibrary::vendor},
    {"libsycl-*", GpuLibrary::vendor},
    {"libur_*", GpuLibrary::vendor},
    {"libze_*", GpuLibrary::vendor},
});

// The directories of NVIDIA's toolkit, its parts for other targets, its SDKs and its drivers; of
// AMD's toolkit; and of packages of PyPI. A directory called just `cuda` may be a project's.
constexpr std::array<std::string_view, 13> kGpuDirectories = {"/usr/local/cuda*/*",
                                                              "/opt/cuda*/*",
                                                              "*/cuda-[0-9]*/*",
                                                              "*/targets/*-linux/lib/*",
                                                              "*/hpc_sdk/*",
                                                              "*/TensorRT-[0-9]*/*",
                                                              "/opt/nvidia/*",
                                                              "/usr/lib*/nvidia/*",
                                                              "/opt/rocm*/*",
                                                              "*/rocm-[0-9]*/*",
                                                              "*/site-packages/nvidia/*",
                                                              "*/site-packages/_rocm_sdk_*/*",
                                                              "*/site-packages/tensorrt_libs/*"};

constexpr std::array<std::string_view, 5> kGpuDistributions = {"nvidia-*", "rocm", "rocm-sdk-*",
                                                               "tensorrt-*", "cutensor-cu[0-9]*"};

template <class Patterns>
bool matches_any(const Patterns& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](std::string_view pattern) { return glob_match(pattern, text); });
}

}  // namespace

GpuLibrary gpu_library(std::string_view soname) {
  // All other names belong to no vendor.
  if (!soname.starts_with("lib")) return GpuLibrary::none;
  for (const NamePattern& each : kNamePatterns) {
    if (glob_match(each.pattern, soname)) return each.kind;
  }
  return GpuLibrary::none;
}

bool is_driver_library(const std::string& soname) {
  const GpuLibrary kind = gpu_library(soname);
  return kind == GpuLibrary::driver || kind == GpuLibrary::loader;
}

bool is_in_gpu_directory(const std::string& path) {
  return matches_any(kGpuDirectories, path);
}

bool is_gpu_distribution(std::string_view name) {
  return matches_any(kGpuDistributions, name);
}

}  // namespace pinwheel::inspect
