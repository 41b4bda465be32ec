#include "env/arch_list.h"

#include "unit/catch.h"

namespace pinwheel::env {
namespace {

using Values = std::map<std::string, std::string>;

TEST_CASE("an arch list is written in every spelling that backends read") {
  CHECK(
      arch_list_variables({"8.0", "9.0a", "12.0+PTX"}, "cuda") ==
      Values{{"TORCH_CUDA_ARCH_LIST", "8.0;9.0a;12.0+PTX"}, {"CUDAARCHS", "80-real;90a-real;120"}});
  CHECK(arch_list_variables({"gfx90a:xnack+", "gfx942"}, "rocm") ==
        Values{{"PYTORCH_ROCM_ARCH", "gfx90a:xnack+;gfx942"},
               {"HIPARCHS", "gfx90a:xnack+;gfx942"},
               {"AMDGPU_TARGETS", "gfx90a:xnack+;gfx942"}});
  CHECK(arch_list_variables({"pvc", "bmg"}, "xpu") == Values{{"TORCH_XPU_ARCH_LIST", "pvc,bmg"}});
  CHECK(arch_list_variables({"one"}, "mtia").empty());
  CHECK(arch_list_variables({}, "cuda").empty());
  CHECK(arch_list_variables({"8.0"}, "cpu").empty());
  CHECK(arch_list_variables({"8.0"}, "").contains("CUDAARCHS"));
  CHECK(cmake_architectures({"gfx90a", "gfx942"}) == "gfx90a;gfx942");
}

TEST_CASE("the hint names what the build's log shows") {
  const auto names = [](std::string_view log, std::string_view name) {
    return arch_list_hint(log).find(name) != std::string::npos;
  };
  CHECK(names("-- The CUDA compiler identification is NVIDIA 13.0.88\n", "CUDAARCHS"));
  CHECK(names("-- The CUDA compiler identification is NVIDIA 13.0.88\n", "{arch-list.cmake}"));
  CHECK(names("-- The HIP compiler identification is Clang 17\n", "HIPARCHS"));
  CHECK(
      names("site-packages/torch/utils/cpp_extension.py:2356: UserWarning\n-- The CUDA compiler "
            "identification is",
            "`TORCH_CUDA_ARCH_LIST`"));
  CHECK(arch_list_hint("nvcc -arch=sm_75 a.cu\n").empty());
}

}  // namespace
}  // namespace pinwheel::env
