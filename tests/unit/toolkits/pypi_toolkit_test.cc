#include "toolkits/pypi_toolkit.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::toolkits;
using matrix::ToolkitFrom;

namespace {

env::Request asking(const std::string& toolkit, ToolkitFrom from) {
  return {.python = "3.11", .toolkit = toolkit, .toolkit_from = from};
}

env::Resolution with_nvcc(const std::string& version, const std::string& python) {
  env::Resolution resolution;
  resolution.python = python;
  resolution.packages = {{"nvidia-cuda-nvcc", version, "nvcc.whl", "ab12"},
                         {"nvidia-nvvm", version, "nvvm.whl", "cd34"}};
  return resolution;
}

}  // namespace

TEST_CASE("PyPI is used if the matrix says so, or for a CUDA that this machine lacks") {
  const std::vector<env::Toolkit> here = {env::cuda_toolkit("/usr/local/cuda", "13.0.88")};
  CHECK(comes_from_pypi(asking("cuda/13.0", ToolkitFrom::pypi), here));
  CHECK_FALSE(comes_from_pypi(asking("cuda/13.0", ToolkitFrom::automatic), here));
  CHECK_FALSE(comes_from_pypi(asking("cuda/13.0.1", ToolkitFrom::automatic), here));
  CHECK(comes_from_pypi(asking("cuda/13.2", ToolkitFrom::automatic), here));
  CHECK_FALSE(comes_from_pypi(asking("cuda/13.2", ToolkitFrom::path), here));
  CHECK_FALSE(comes_from_pypi(asking("rocm/6.4", ToolkitFrom::automatic), {}));
  CHECK_FALSE(comes_from_pypi(asking("rocm/6.4", ToolkitFrom::pypi), {}));
}

TEST_CASE("PyPI has complete toolkits since CUDA 13") {
  const auto request = pypi_toolkit_request(asking("cuda/13.2.1", ToolkitFrom::pypi));
  REQUIRE(request.has_value());
  CHECK(request->python == "3.11");
  CHECK(request->toolkit.empty());
  CHECK(request->requirements ==
        std::vector<std::string>{"cuda-toolkit[cccl,crt,cudart,nvcc,nvvm]==13.2.*"});
  env::Request more = asking("cuda/13.0", ToolkitFrom::pypi);
  more.toolkit_packages = {"cublas", "nvidia-cudnn-cu13==9.*"};
  CHECK(pypi_toolkit_request(more)->requirements ==
        std::vector<std::string>{"cuda-toolkit[cccl,crt,cublas,cudart,nvcc,nvvm]==13.0.*",
                                 "nvidia-cudnn-cu13==9.*"});
  for (const std::string compute : {"cuda/12.8", "rocm/7.1"}) {
    const auto none = pypi_toolkit_request(asking(compute, ToolkitFrom::pypi));
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().kind == ErrorKind::environment);
  }
}

TEST_CASE(
    "the directory of a toolkit is named after its exact packages, whatever Python resolved them") {
  const std::string id = pypi_toolkit_id("cuda/13.0", with_nvcc("13.0.88", "3.11.7"));
  CHECK(id.starts_with("cuda-13.0-"));
  CHECK(id.size() == std::string("cuda-13.0-").size() + 12);
  CHECK(id == pypi_toolkit_id("cuda/13.0", with_nvcc("13.0.88", "3.12.1")));
  CHECK(id != pypi_toolkit_id("cuda/13.0", with_nvcc("13.0.89", "3.11.7")));
  CHECK(pypi_release(with_nvcc("13.0.88", "3.11.7")) == "13.0.88");
  CHECK(pypi_release({}).empty());
  CHECK(pypi_prefix("/cache/cuda-13.0-ab", "13.0.88") == "/cache/cuda-13.0-ab/nvidia/cu13");
}
