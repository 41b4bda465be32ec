#pragma once
#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The toolkit of the recorded conda packages, in `<cache>/toolkits/<id>`: created once under a
/// lock by the host's client, with the sha256 of every archive checked. Its compiler is queried for
/// its release where the commands run. Errors: `environment` if nothing is recorded, the packages
/// contain no compiler that starts, or its release differs from the requested one; else those of
/// `install_conda_packages`.
Result<env::Toolkit> make_conda_toolkit(const EnvMachine& machine, const env::Request& request);

}  // namespace pinwheel::host
