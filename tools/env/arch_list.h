#pragma once
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::env {

/// The variables from which backends read architectures: torch's extensions, CMake's CUDA and HIP
/// languages, older CMake projects for ROCm.
inline constexpr std::array<std::string_view, 6> kArchListVariables = {
    "TORCH_CUDA_ARCH_LIST", "CUDAARCHS",          "PYTORCH_ROCM_ARCH", "HIPARCHS",
    "AMDGPU_TARGETS",       "TORCH_XPU_ARCH_LIST"};

/// `build.arch-list` as CMake writes it in CMAKE_CUDA_ARCHITECTURES and CMAKE_HIP_ARCHITECTURES:
/// "80-real;120" for ["8.0", "12.0+PTX"], "gfx90a;gfx942".
std::string cmake_architectures(const std::vector<std::string>& arch_list);

/// The list in every spelling of the compute's family, "cuda", "rocm" or "xpu"; a matrix without
/// computes counts as "cuda". Nothing for an empty list or for "cpu".
std::map<std::string, std::string> arch_list_variables(const std::vector<std::string>& arch_list,
                                                       std::string_view family);

/// A hint on how to give a build the architectures of the matrix, depending on the traces of
/// torch's extensions and CMake in its log. Empty if the log has neither.
std::string arch_list_hint(std::string_view log);

}  // namespace pinwheel::env
