#include "env/arch_list.h"

#include <algorithm>

#include "base/text.h"

namespace pinwheel::env {
namespace {

constexpr std::string_view kPtx = "+PTX";

/// "80-real" for "8.0", "120" for "12.0+PTX", which means both kinds of code; "gfx90a" itself.
std::string cmake_architecture(const std::string& entry) {
  if (entry.starts_with("gfx")) return entry;
  const bool ptx = entry.ends_with(kPtx);
  const std::string number =
      replace_all(entry.substr(0, entry.size() - (ptx ? kPtx.size() : 0)), ".", "");
  return ptx ? number : number + "-real";
}

bool shows(std::string_view log, std::initializer_list<std::string_view> signs) {
  return std::any_of(signs.begin(), signs.end(), [log](std::string_view sign) {
    return log.find(sign) != std::string_view::npos;
  });
}

}  // namespace

std::string cmake_architectures(const std::vector<std::string>& arch_list) {
  std::vector<std::string> entries;
  entries.reserve(arch_list.size());
  for (const std::string& entry : arch_list) entries.push_back(cmake_architecture(entry));
  return join(entries, ";");
}

std::map<std::string, std::string> arch_list_variables(const std::vector<std::string>& arch_list,
                                                       std::string_view family) {
  if (arch_list.empty()) return {};
  const std::string list = join(arch_list, ";");
  if (family == "cuda" || family.empty()) {
    return {{"TORCH_CUDA_ARCH_LIST", list}, {"CUDAARCHS", cmake_architectures(arch_list)}};
  }
  if (family == "rocm") {
    return {{"PYTORCH_ROCM_ARCH", list}, {"HIPARCHS", list}, {"AMDGPU_TARGETS", list}};
  }
  // torch itself separates these with commas.
  if (family == "xpu") return {{"TORCH_XPU_ARCH_LIST", join(arch_list, ",")}};
  return {};
}

std::string arch_list_hint(std::string_view log) {
  if (shows(log, {"TORCH_CUDA_ARCH_LIST", "torch/utils/cpp_extension", "Added CUDA NVCC flags"})) {
    return "the log shows a torch extension, which reads `TORCH_CUDA_ARCH_LIST`: pinwheel sets it "
           "from `build.arch-list`, so look for `-gencode` among the project's own flags";
  }
  if (shows(log, {"PYTORCH_ROCM_ARCH"})) {
    return "the log shows a torch extension, which reads `PYTORCH_ROCM_ARCH`: pinwheel sets it "
           "from "
           "`build.arch-list`, so look for `--offload-arch` among the project's own flags";
  }
  if (shows(log, {"The CUDA compiler identification", "CUDA_ARCHITECTURES"})) {
    return "the log shows CMake's CUDA language, which reads `CUDAARCHS` unless the project sets "
           "`CMAKE_CUDA_ARCHITECTURES`: pass that to CMake in `build.command`, for instance as "
           "`-Ccmake.define.CMAKE_CUDA_ARCHITECTURES={arch-list.cmake}` of scikit-build-core";
  }
  if (shows(log, {"The HIP compiler identification", "HIP_ARCHITECTURES"})) {
    return "the log shows CMake's HIP language, which reads `HIPARCHS` unless the project sets "
           "`CMAKE_HIP_ARCHITECTURES`: pass that to CMake in `build.command`, for instance as "
           "`-Ccmake.define.CMAKE_HIP_ARCHITECTURES={arch-list.cmake}` of scikit-build-core";
  }
  return {};
}

}  // namespace pinwheel::env
