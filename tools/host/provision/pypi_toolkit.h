#pragma once
#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The toolkit of the recorded resolution, in `<cache>/toolkits/<id>`: made once under a lock,
/// exactly the recorded files, and never written again. Errors: `environment` when nothing is
/// recorded, the disk is too full or its nvcc does not start; else as `classify_pip` says.
Result<env::Toolkit> make_pypi_toolkit(const EnvMachine& machine, const env::Request& request);

}  // namespace pinwheel::host
