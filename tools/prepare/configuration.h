#pragma once
#include "base/result.h"
#include "prepare/host.h"
#include "slurm/settings.h"

namespace pinwheel::prepare {

/// The settings of `executor:` in the configuration file of the user,
/// `$XDG_CONFIG_HOME/pinwheel/config.yaml` (`~/.config` if the variable is not set or relative, as
/// the XDG base directory specification says), and of the project, `.pinwheel.yaml` in the working
/// directory, which takes precedence. A missing file sets nothing.
Result<slurm::ExecutorSettings> read_configuration(const Host& host);

}  // namespace pinwheel::prepare
