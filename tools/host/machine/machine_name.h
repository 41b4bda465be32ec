#pragma once
#include <map>
#include <string>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The architecture that `machine`'s processes run on, which may be emulated in a container; empty
/// if it cannot be determined.
std::string running_arch(const EnvMachine& machine);

/// This machine's architecture as in platform tags, "x86_64".
std::string machine_name();

/// This machine's name: that of the runner in GitHub Actions, else its host name.
std::string worker_name(const std::map<std::string, std::string>& variables);

}  // namespace pinwheel::host
