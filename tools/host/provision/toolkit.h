#pragma once
#include <vector>

#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"
#include "host/provision/env_resolve.h"
#include "toolkits/made_toolkit.h"

namespace pinwheel::host {

/// The exact packages of a toolkit made from packages, resolved and recorded like those of an
/// environment (`resolve`). `source` is PyPI or conda.
Result<Resolved> resolve_toolkit(const EnvMachine& machine, const env::Request& request,
                                 toolkits::ToolkitSource source, Refresh refresh = Refresh::no);

/// The toolkit of a request, "cuda/13.0" or "rocm/5.2": on this machine (CUDA_HOME, nvcc on PATH;
/// ROCM_PATH, hipcc on PATH), only in the image if the request has a `container`, or created from
/// resolved packages (`make_pypi_toolkit`, `make_conda_toolkit`). Errors are `environment` and list
/// the versions found, or those of these functions. `request.toolkit` must not be empty.
Result<env::Toolkit> find_toolkit(const EnvMachine& machine, const env::Request& request);

/// Every CUDA and ROCm toolkit of this machine, each prefix once.
std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine);

/// The candidates for a request: for a `container`, the image's own, regardless of the user's
/// variables.
std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine, const env::Request& request);

}  // namespace pinwheel::host
