#include "toolkits/made_toolkit.h"

#include "unit/catch.h"

using namespace pinwheel;
using namespace pinwheel::toolkits;
using matrix::ToolkitFrom;

namespace {

env::Request asking(ToolkitFrom from) {
  return {.python = "3.11",
          .toolkit = "cuda/13.0",
          .toolkit_from = from,
          .toolkit_conda = {{"conda-forge"}, {}}};
}

}  // namespace

TEST_CASE("a toolkit comes from the source in the matrix, whatever this machine has") {
  const std::vector<env::Toolkit> here = {env::cuda_toolkit("/usr/local/cuda", "13.0.88")};
  CHECK(toolkit_source(asking(ToolkitFrom::path), {}) == ToolkitSource::machine);
  CHECK(toolkit_source(asking(ToolkitFrom::container), {}) == ToolkitSource::machine);
  CHECK(toolkit_source(asking(ToolkitFrom::conda), here) == ToolkitSource::conda);
  CHECK(toolkit_source(asking(ToolkitFrom::pypi), here) == ToolkitSource::pypi);
  CHECK(toolkit_source(asking(ToolkitFrom::automatic), here) == ToolkitSource::machine);
  CHECK(toolkit_source(asking(ToolkitFrom::automatic), {}) == ToolkitSource::pypi);
}

TEST_CASE("each source has packages of its own, and the machine has none") {
  const env::Request request = asking(ToolkitFrom::conda);
  CHECK(toolkit_packages(request, ToolkitSource::conda)->conda.packages.size() == 1);
  CHECK(toolkit_packages(request, ToolkitSource::pypi)->requirements.size() == 1);
  CHECK(toolkit_packages(request, ToolkitSource::machine).error().kind == ErrorKind::internal);
}

TEST_CASE("the toolkit in a directory is known from its name and its packages") {
  env::Resolution pypi;
  pypi.packages = {{"nvidia-cuda-nvcc", "13.0.88", "nvcc.whl", "ab12"}};
  env::Resolution conda;
  conda.conda = {{"hipcc", "6.4.1", "0", "linux-64", "https://x.example/hipcc", "ab"}};
  CHECK(toolkit_in(toolkit_id("cuda/13.0", pypi), pypi) == "cuda/13.0.88");
  CHECK(toolkit_id("rocm/6.4", conda).starts_with("rocm-6.4-conda-"));
  CHECK(toolkit_in(toolkit_id("rocm/6.4", conda), conda) == "rocm/6.4.1");
}

TEST_CASE("the digest of a toolkit covers what selects it") {
  const env::Request path = asking(ToolkitFrom::path);
  env::Request other = path;
  other.python = "3.12";
  CHECK(env::toolkit_digest(path) == env::toolkit_digest(other));
  other.toolkit_from = ToolkitFrom::pypi;
  CHECK(env::toolkit_digest(path) != env::toolkit_digest(other));
  other = path;
  other.container.base = "debian:12";
  CHECK(env::toolkit_digest(path) != env::toolkit_digest(other));
}
