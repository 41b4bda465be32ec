#pragma once
#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The toolkit of the recorded resolution, in `<cache>/toolkits/<id>`: created once under a lock
/// from exactly the recorded files, and not modified afterwards. Errors: `environment` if nothing
/// is recorded, the disk is too full or its nvcc does not start; else from `classify_pip`.
Result<env::Toolkit> make_pypi_toolkit(const EnvMachine& machine, const env::Request& request);

}  // namespace pinwheel::host
