#pragma once
#include <memory>

#include "host/machine/env_machine.h"
#include "host/provision/python_environments.h"

namespace pinwheel::host {

/// Puts the large packages of a new environment into it that a complete one of the same interpreter
/// has from the same wheels: files are the same by hard links (copies where there are none), and
/// scripts and byte code name the new environment, as if pip had installed them. Every file with a
/// hash in RECORD is compared with it. Returns the packages that remain to be installed, torch
/// among them if it was not shared. Nothing of a package that could not be shared as a whole
/// remains, so an environment that is removed meanwhile, or damaged, only means that pip installs
/// it.
env::Resolution share_packages(const EnvMachine& machine, const BaseEnvironment& base);

/// Waits until no other process is making an environment with the same torch in that directory:
/// then its files can be shared. Null without torch.
Result<std::unique_ptr<ports::FileLock>> wait_for_torch(const EnvMachine& machine,
                                                        const std::filesystem::path& root,
                                                        const env::Resolution& resolution);

}  // namespace pinwheel::host
