#pragma once
#include <map>
#include <string>
#include <vector>

#include "matrix/settings.h"

namespace pinwheel::env {

/// A base environment as asked for: what its resolution is computed from. Two variants that ask the
/// same share one environment.
struct Request {
  std::string python;                          ///< "3.11", "3.13t"
  std::vector<std::string> requirements = {};  ///< sorted, without torch
  matrix::TorchSettings torch = {};
  std::string toolkit = {};  ///< "cuda/13.0", "rocm/5.2"; empty for cpu
  matrix::ToolkitFrom toolkit_from = matrix::ToolkitFrom::automatic;
  matrix::CondaSettings toolkit_conda = {};  ///< what a toolkit from conda is solved from

  matrix::ContainerSettings container = {};  ///< no base: the host
  matrix::CondaSettings conda = {};          ///< no packages: Python is there already
  std::string conda_cuda = {};  ///< what `__cuda` is for its solver, "13.0"; empty: no CUDA

  bool operator==(const Request&) const = default;
};

/// Hex digest of what the packages are resolved from: names the resolution on disk. The toolkit is
/// a prefix of its own beside the environment, so it is not in it. Pure.
std::string digest(const Request& request);

/// Hex digest of what decides the toolkit of a request: its name, where it comes from, and the
/// container that it is looked for in. Pure.
std::string toolkit_digest(const Request& request);

}  // namespace pinwheel::env
