#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// The output of a query such as `--version`, trimmed. nullopt if the program is missing, fails or
/// takes more than 30 s. `more` is added to the machine's variables.
std::optional<std::string> ask_program(const EnvMachine& machine,
                                       const std::vector<std::string>& argv,
                                       const std::map<std::string, std::string>& more = {});

}  // namespace pinwheel::host
