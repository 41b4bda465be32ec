#include "toolkits/conda_toolkit.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::toolkits;

namespace {

env::Request asking(const std::string& toolkit, std::vector<std::string> packages = {}) {
  return {.python = "3.11",
          .toolkit = toolkit,
          .toolkit_from = matrix::ToolkitFrom::conda,
          .toolkit_conda = {{"conda-forge"}, std::move(packages)}};
}

env::CondaPackage package(const std::string& name, const std::string& version) {
  return {name, version, "0", "linux-64", "https://x.example/" + name, "ab"};
}

}  // namespace

TEST_CASE("a CUDA from conda is the toolkit package of its version, without a Python") {
  const auto request = conda_toolkit_request(asking("cuda/13.0.1"));
  REQUIRE(request.has_value());
  CHECK(request->python.empty());
  CHECK(request->toolkit.empty());
  CHECK(request->conda.channels == std::vector<std::string>{"conda-forge"});
  CHECK(request->conda.packages == std::vector<std::string>{"cuda-toolkit=13.0"});
  CHECK(request->conda_cuda == "13.0.1");
}

TEST_CASE("the matrix may name the packages of a toolkit, and must for ROCm") {
  const std::vector<std::string> packages = {"hipcc=6.4", "rocm-device-libs"};
  CHECK(conda_toolkit_request(asking("rocm/6.4", packages))->conda.packages == packages);
  const auto unnamed = conda_toolkit_request(asking("rocm/6.4"));
  REQUIRE_FALSE(unnamed.has_value());
  CHECK(unnamed.error().kind == ErrorKind::config);
  CHECK(unnamed.error().hint.find("environment.conda.toolkit") != std::string::npos);
  env::Request nowhere = asking("cuda/13.0");
  nowhere.toolkit_conda = {};
  REQUIRE_FALSE(conda_toolkit_request(nowhere).has_value());
  CHECK(conda_toolkit_request(nowhere).error().hint.find("channels") != std::string::npos);
}

TEST_CASE("the directory of a toolkit from conda is named after its exact packages") {
  env::Resolution resolution;
  resolution.conda = {package("cuda-nvcc", "13.0.1"), package("cuda-nvcc-tools", "13.0.88")};
  const std::string id = conda_toolkit_id("cuda/13.0", resolution);
  CHECK(id.starts_with("cuda-13.0-conda-"));
  CHECK(conda_toolkit_release(resolution) == "13.0.88");
  resolution.conda[1].sha256 = "cd";
  CHECK(conda_toolkit_id("cuda/13.0", resolution) != id);
  CHECK(conda_toolkit_release({}).empty());
}

TEST_CASE("a toolkit from conda has libraries and headers by target") {
  const env::Toolkit cuda = conda_toolkit("cuda/13.0", "/p", "13.0.88", "x86_64");
  CHECK(cuda.name == "cuda/13.0");
  CHECK(cuda.variables.at("LIBRARY_PATH") == "/p/lib64:/p/lib:/p/targets/x86_64-linux/lib");
  CHECK(env::include_directories(cuda, "x86_64") ==
        std::vector<std::string>{"/p/include", "/p/targets/x86_64-linux/include"});
  const env::Toolkit rocm = conda_toolkit("rocm/6.4", "/p", "6.4.1", "x86_64");
  CHECK(rocm.compiler == "/p/bin/hipcc");
  CHECK(rocm.variables.at("ROCM_PATH") == "/p");
}
