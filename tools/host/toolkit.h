#pragma once
#include <vector>

#include "env/request.h"
#include "env/toolkit.h"
#include "host/env_machine.h"

namespace pinwheel::host {

/// The toolkit of a request, "cuda/13.0" or "rocm/5.2": on this machine (CUDA_HOME, nvcc on PATH;
/// ROCM_PATH, hipcc on PATH), or from PyPI as it was resolved (`make_pypi_toolkit`). Errors are
/// `environment` and name the versions that were found; of PyPI as `classify_pip` says.
/// `request.toolkit` must not be empty.
Result<env::Toolkit> find_toolkit(const EnvMachine& machine, const env::Request& request);

/// Every CUDA and ROCm of this machine, each prefix once.
std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine);

}  // namespace pinwheel::host
