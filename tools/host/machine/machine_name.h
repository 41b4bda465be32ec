#pragma once
#include <string>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// What the machine of `machine`'s processes is called, which in a container may be emulated; empty
/// when it cannot be asked.
std::string running_arch(const EnvMachine& machine);

/// What this machine is called in platform tags, "x86_64".
std::string machine_name();

}  // namespace pinwheel::host
