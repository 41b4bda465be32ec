#pragma once
#include <vector>

#include "env/made_toolkit.h"
#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"
#include "host/provision/env_resolve.h"

namespace pinwheel::host {

/// The exact packages of a toolkit that is made of some, resolved and recorded as those of an
/// environment are (`resolve`). `source` is PyPI or conda.
Result<Resolved> resolve_toolkit(const EnvMachine& machine, const env::Request& request,
                                 env::ToolkitSource source, Refresh refresh = Refresh::no);

/// The toolkit of a request, "cuda/13.0" or "rocm/5.2": on this machine (CUDA_HOME, nvcc on PATH;
/// ROCM_PATH, hipcc on PATH), in the image alone where the request says `container`, or made of
/// packages as they were resolved (`make_pypi_toolkit`, `make_conda_toolkit`). Errors are
/// `environment` and name the versions that were found; of packages as those functions say.
/// `request.toolkit` must not be empty.
Result<env::Toolkit> find_toolkit(const EnvMachine& machine, const env::Request& request);

/// Every CUDA and ROCm of this machine, each prefix once.
std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine);

/// Those that a request may mean: for `container` the image's own, whatever the user's variables
/// name.
std::vector<env::Toolkit> list_toolkits(const EnvMachine& machine, const env::Request& request);

}  // namespace pinwheel::host
