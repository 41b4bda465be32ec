#pragma once
#include <string>
#include <string_view>

namespace pinwheel::env {

/// The part of NVIDIA's packages on PyPI that has a header ("cusparse.h", "nvtx3/nvtx3.hpp") or a
/// library ("cublasLt"), as `environment.toolkit: {pypi: [...]}` names it: "cusparse", or a whole
/// package, "nvidia-cudnn-cu13". Empty for what is not CUDA's.
std::string cuda_part(std::string_view name);

}  // namespace pinwheel::env
