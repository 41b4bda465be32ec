#include "toolkits/pypi_toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "matrix/axis_value.h"

namespace pinwheel::toolkits {
namespace {

// The first CUDA whose packages on PyPI include the nvcc driver, not only parts of it.
constexpr int kFirstCuda = 13;

int major_of(const std::string& version) {
  int value = 0;
  std::from_chars(version.data(), version.data() + version.size(), value);
  return value;
}

}  // namespace

bool comes_from_pypi(const env::Request& request, const std::vector<env::Toolkit>& found) {
  if (!request.toolkit.starts_with("cuda/")) return false;
  if (request.toolkit_from != matrix::ToolkitFrom::automatic) {
    return request.toolkit_from == matrix::ToolkitFrom::pypi;
  }
  return std::none_of(found.begin(), found.end(),
                      [name = env::toolkit_name(request.toolkit)](const env::Toolkit& toolkit) {
                        return toolkit.name == name;
                      });
}

Result<env::Request> pypi_toolkit_request(const env::Request& request) {
  const matrix::Compute compute = matrix::split_compute(request.toolkit);
  if (compute.family != "cuda") {
    return fail(ErrorKind::environment,
                fmt::format("PyPI has no toolkit for {}", pinwheel::quoted(request.toolkit)),
                "install it and set ROCM_PATH, with `toolkit: path` in the matrix");
  }
  if (major_of(compute.version) < kFirstCuda) {
    return fail(ErrorKind::environment,
                fmt::format("PyPI has no complete CUDA {} toolkit; the first is CUDA {}",
                            compute.version, kFirstCuda),
                "install that CUDA and set CUDA_HOME, with `toolkit: path` in the matrix");
  }
  std::set<std::string> parts = {"cccl", "crt", "cudart", "nvcc", "nvvm"};
  std::vector<std::string> packages;
  for (const std::string& name : request.toolkit_packages) {
    const bool part = name.find('-') == std::string::npos;
    if (part) parts.insert(name);
    if (!part) packages.push_back(name);
  }
  packages.insert(packages.begin(),
                  fmt::format("cuda-toolkit[{}]=={}.*", join({parts.begin(), parts.end()}, ","),
                              matrix::leading(2, compute.version)));
  return env::Request{.python = request.python, .requirements = std::move(packages)};
}

std::string pypi_toolkit_id(const std::string& name, const env::Resolution& resolution) {
  std::string all;
  for (const env::PipPackage& package : resolution.packages) {
    all += fmt::format("{} {} {}\n", package.name, package.version, package.sha256);
  }
  return replace_all(name, "/", "-") + "-" + sha256_hex(all).substr(0, 12);
}

std::string pypi_release(const env::Resolution& resolution) {
  const env::PipPackage* const nvcc = resolution.find("nvidia-cuda-nvcc");
  return nvcc == nullptr ? "" : nvcc->version;
}

std::string pypi_prefix(const std::string& target, const std::string& release) {
  return fmt::format("{}/nvidia/cu{}", target, major_of(release));
}

}  // namespace pinwheel::toolkits
