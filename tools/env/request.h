#pragma once
#include <map>
#include <string>
#include <vector>

#include "matrix/settings.h"

namespace pinwheel::env {

/// The user of an environment: builds, which need pip and the build requirements, or tests, which
/// see the contents of a user's environment: the variant's torch, and no pip.
enum class Purpose { build, test };

/// The requested contents of a base environment, from which its resolution is computed. Variants
/// with equal requests share one environment.
struct Request {
  std::string python;                          ///< "3.11", "3.13t"
  std::vector<std::string> requirements = {};  ///< sorted, without torch
  matrix::TorchSettings torch = {};
  std::string toolkit = {};  ///< "cuda/13.0", "rocm/5.2"; empty for cpu
  matrix::ToolkitFrom toolkit_from = matrix::ToolkitFrom::automatic;
  std::vector<std::string> toolkit_packages = {};  ///< packages of a toolkit from PyPI besides nvcc
  matrix::CondaSettings toolkit_conda = {};  ///< channels and packages of a toolkit from conda

  matrix::ContainerSettings container = {};  ///< without a base: the host
  matrix::CondaSettings conda = {};          ///< without packages: an interpreter of level 1
  std::string conda_cuda = {};               ///< `__cuda` for its solver, "13.0"; empty: no CUDA
  Purpose purpose = Purpose::build;

  bool operator==(const Request&) const = default;
};

/// Whether the request names any package; without one, its environment is a bare Python. Pure.
bool has_packages(const Request& request);

/// Hex digest of the inputs of the resolution, which names it on disk. The toolkit is excluded: it
/// has its own prefix. Pure.
std::string digest(const Request& request);

/// Hex digest of the inputs that choose the torch of a request, without its other requirements:
/// builds and tests that agree on them get the same torch. Pure.
std::string torch_digest(const Request& request);

/// Hex digest of the inputs that select the toolkit of a request: its name, its source, and the
/// container to search. Pure.
std::string toolkit_digest(const Request& request);

}  // namespace pinwheel::env
