#include "toolkits/conda_toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "conda/conda_client.h"
#include "matrix/axis_value.h"

namespace pinwheel::toolkits {
namespace {

// The package that contains the compiler comes before those that only depend on it.
constexpr std::array<const char*, 5> kCompilers = {"cuda-nvcc-tools", "cuda-nvcc-impl", "cuda-nvcc",
                                                   "hipcc", "cuda-toolkit"};

bool is_cuda(const std::string& compute) {
  return matrix::split_compute(compute).family == "cuda";
}

}  // namespace

Result<env::Request> conda_toolkit_request(const env::Request& request) {
  const matrix::Compute compute = matrix::split_compute(request.toolkit);
  env::Request packages;
  packages.container = request.container;
  packages.conda = request.toolkit_conda;
  if (packages.conda.channels.empty()) {
    return fail(ErrorKind::config,
                fmt::format("the matrix names no conda channel for the toolkit {}",
                            pinwheel::quoted(request.toolkit)),
                "set `environment.conda.channels`");
  }
  if (packages.conda.packages.empty() && compute.family != "cuda") {
    return fail(
        ErrorKind::config,
        fmt::format("the matrix names no conda packages for the toolkit {}",
                    pinwheel::quoted(request.toolkit)),
        "set `environment.conda.toolkit` to match specs of the packages that contain the compiler");
  }
  if (packages.conda.packages.empty()) {
    packages.conda.packages = {fmt::format("cuda-toolkit={}", matrix::leading(2, compute.version))};
  }
  if (compute.family == "cuda") packages.conda_cuda = compute.version;
  return packages;
}

std::string conda_toolkit_id(const std::string& name, const env::Resolution& resolution) {
  return replace_all(name, "/", "-") + "-" + conda::conda_prefix_id(resolution.conda);
}

std::string conda_toolkit_release(const env::Resolution& resolution) {
  for (const char* const name : kCompilers) {
    const auto found =
        std::find_if(resolution.conda.begin(), resolution.conda.end(),
                     [name](const env::CondaPackage& package) { return package.name == name; });
    if (found != resolution.conda.end()) return found->version;
  }
  return {};
}

env::Toolkit conda_toolkit(const std::string& compute, const std::string& prefix,
                           const std::string& release, const std::string& machine) {
  if (!is_cuda(compute)) return env::rocm_toolkit(prefix, prefix + "/bin/hipcc", release);
  env::Toolkit toolkit = env::cuda_toolkit(prefix, release);
  toolkit.variables["LIBRARY_PATH"] += fmt::format(":{}/targets/{}-linux/lib", prefix, machine);
  return toolkit;
}

}  // namespace pinwheel::toolkits
