#pragma once
#include <vector>

#include "env/request.h"
#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The exact conda packages of a request, solved by the host's client for the C library and kernel
/// of the machine that runs the commands, and for the CUDA of the request. Errors: `config` with
/// the solver's explanation for a conflict, `transient` for a channel that does not respond at the
/// moment, `environment` for a client that does not work.
Result<std::vector<env::CondaPackage>> solve_conda(const EnvMachine& machine,
                                                   const env::Request& request);

}  // namespace pinwheel::host
