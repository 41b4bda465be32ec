#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// What a program prints when it is asked about itself, such as `--version`, without spaces around
/// it. nullopt where it is absent or fails, or is silent for 30 s. `more` is added to the machine's
/// variables.
std::optional<std::string> ask_program(const EnvMachine& machine,
                                       const std::vector<std::string>& argv,
                                       const std::map<std::string, std::string>& more = {});

}  // namespace pinwheel::host
