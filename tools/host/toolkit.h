#pragma once
#include <vector>

#include "env/request.h"
#include "env/toolkit.h"
#include "host/env_machine.h"

namespace pinwheel::host {

/// The toolkit of a request, "cuda/13.0" or "rocm/5.2": on this machine (CUDA_HOME, nvcc on PATH;
/// ROCM_PATH, hipcc on PATH), or from PyPI into a prefix in `<cache>/toolkits/`, made once under a
/// lock and never written again. `automatic` takes the machine's when its version is the one asked
/// for. Errors are `environment` and name the version that was found; of PyPI as `classify_pip`
/// says. `request.toolkit` must not be empty.
Result<env::Toolkit> find_toolkit(const EnvMachine& machine, const env::Request& request);

/// Every CUDA and ROCm of this machine, each prefix once.
std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine);

}  // namespace pinwheel::host
