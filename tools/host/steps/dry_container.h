#pragma once
#include <map>
#include <string>

#include "base/result.h"
#include "env/container.h"
#include "host/machine/env_machine.h"
#include "host/machine/workplace.h"
#include "matrix/settings.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The container that commands of a dry run's script run in.
struct DryContainer {
  env::Container container;  ///< its image is a variable of the script
  std::map<std::string, std::string> client_variables;
  std::string image_lines;  ///< give the variable its value; make the image where it is gone
};

/// `around` is the host. `internal` when the image was not made.
Result<DryContainer> dry_container(const EnvMachine& around, const Workplace& workplace,
                                   const matrix::ContainerSettings& settings);

/// The client's command that runs `command` in it, in a container that is removed when it ends.
ports::Command in_dry_container(const DryContainer& container, const ports::Command& command);

}  // namespace pinwheel::host
