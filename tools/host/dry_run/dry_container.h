#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "container/container.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "matrix/settings.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The container for the commands of a dry run's script.
struct DryContainer {
  container::Container container;  ///< its image is a variable of the script
  std::map<std::string, std::string> client_variables;
  std::string image_lines;  ///< set the variable; rebuild the image if it is missing
};

/// `around` is the host. `internal` if the image was not made.
Result<DryContainer> dry_container(const EnvMachine& around, const Workplace& workplace,
                                   const matrix::ContainerSettings& settings);

/// The client's command that runs `command` in a container that is removed when it exits.
ports::Command in_dry_container(const DryContainer& container, const ports::Command& command);

}  // namespace pinwheel::host
