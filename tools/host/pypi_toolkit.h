#pragma once
#include "env/request.h"
#include "env/toolkit.h"
#include "host/env_machine.h"
#include "host/env_resolve.h"

namespace pinwheel::host {

/// The exact packages of a request's toolkit on PyPI, resolved and recorded as those of an
/// environment are (`resolve`). `request.toolkit` is a CUDA of PyPI.
Result<Resolved> resolve_toolkit(const EnvMachine& machine, const env::Request& request,
                                 Refresh refresh = Refresh::no);

/// The toolkit of the recorded resolution, in `<cache>/toolkits/<id>`: made once under a lock,
/// exactly the recorded files, and never written again. Errors: `environment` when nothing is
/// recorded, the disk is too full or its nvcc does not start; else as `classify_pip` says.
Result<env::Toolkit> make_pypi_toolkit(const EnvMachine& machine, const env::Request& request);

/// What PyPI's prefix lacks of an installed toolkit: `lib64`, where nvcc, CMake and PyTorch look
/// for libraries, and the names without a version that linkers look for.
Done link_libraries(const std::filesystem::path& prefix);

}  // namespace pinwheel::host
