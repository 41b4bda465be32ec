#pragma once
#include "env/request.h"
#include "env/toolkit.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The toolkit of the recorded resolution, in `<cache>/toolkits/<id>`: made once under a lock,
/// exactly the recorded files, and never written again. Errors: `environment` when nothing is
/// recorded, the disk is too full or its nvcc does not start; else as `classify_pip` says.
Result<env::Toolkit> make_pypi_toolkit(const EnvMachine& machine, const env::Request& request);

/// What PyPI's prefix lacks of an installed toolkit: `lib64`, where nvcc, CMake and PyTorch look
/// for libraries, and the names without a version that linkers look for.
Done link_libraries(const std::filesystem::path& prefix);

}  // namespace pinwheel::host
