#pragma once
#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The toolkit of the recorded conda packages, in `<cache>/toolkits/<id>`: made once under a lock
/// by the host's client, every archive compared with its sha256. Its compiler is asked for its
/// release where the commands run. Errors: `environment` when nothing is recorded, the packages
/// hold no compiler that starts, or it is another release than the request names; else as
/// `install_conda_packages` says.
Result<env::Toolkit> make_conda_toolkit(const EnvMachine& machine, const env::Request& request);

}  // namespace pinwheel::host
