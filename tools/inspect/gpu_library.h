#pragma once
#include <string>
#include <string_view>

namespace pinwheel::inspect {

/// The source of a library of a GPU stack at run time.
enum class GpuLibrary {
  none,    ///< not a library of a GPU stack
  driver,  ///< the GPU driver, whose release it must match
  loader,  ///< the system: it opens the libraries of whichever drivers are installed
  stack,   ///< CUDA or ROCm: the libraries that torch's builds require
  vendor,  ///< the rest of CUDA and ROCm, and what their vendors ship separately
};

/// By the patterns of the vendors' names: "libnvidia-encode.so.1" belongs to the driver,
/// "libEGL.so.1" is a loader, "libcudart.so.13" belongs to the stack and "libnvinfer.so.10" to the
/// vendor.
GpuLibrary gpu_library(std::string_view soname);

/// Whether the driver or the system provides the library, so that no package may: "libcuda.so.1",
/// "libOpenCL.so.1".
bool is_driver_library(const std::string& soname);

/// Whether the file is in a directory of a driver or a GPU toolkit, regardless of its name:
/// "/usr/local/cuda-13.0/lib64/libodd.so.1".
bool is_in_gpu_directory(const std::string& path);
/// Whether a distribution on PyPI belongs to a GPU vendor: "nvidia-cudss-cu13", "rocm-sdk-core".
bool is_gpu_distribution(std::string_view name);

}  // namespace pinwheel::inspect
