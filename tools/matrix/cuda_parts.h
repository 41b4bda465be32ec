#pragma once
#include <array>
#include <string_view>

namespace pinwheel::matrix {

/// The parts of NVIDIA's CUDA toolkit on PyPI: the extras of `cuda-toolkit` 13.0 to 13.2.
inline constexpr std::array<std::string_view, 29> kCudaParts = {
    "cccl",      "crt",      "cublas",    "cudart",        "cudla",    "cufft",
    "cufile",    "culibos",  "cuobjdump", "cupti",         "curand",   "cusolver",
    "cusparse",  "cuxxfilt", "npp",       "nvcc",          "nvdisasm", "nvfatbin",
    "nvjitlink", "nvjpeg",   "nvml",      "nvptxcompiler", "nvrtc",    "nvtx",
    "nvvm",      "opencl",   "profiler",  "sanitizer",     "tileiras"};

}  // namespace pinwheel::matrix
