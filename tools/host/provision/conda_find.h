#pragma once
#include <optional>
#include <string>
#include <vector>

#include "conda/conda_client.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Every working conda client of the user, in order of preference: MAMBA_EXE, `micromamba` and
/// `mamba` on PATH, CONDA_EXE, `conda` on PATH. Each program once.
std::vector<conda::CondaClient> list_conda_clients(const EnvMachine& machine);

/// The client to use: the value of PINWHEEL_CONDA (a path, or one of micromamba, mamba, conda and
/// rattler), else the first of the list that is recent enough, else rattler, with an empty
/// `program`: it may not be installed yet. `environment` if the configured one does not run or is
/// too old.
Result<conda::CondaClient> find_conda_client(const EnvMachine& machine);

/// The same, ready to run: rattler is installed if missing, in `<cache>/tools`, with a Python of
/// the host and the user's pip configuration. Always on the host, even for a machine that is a
/// container.
Result<conda::CondaClient> ready_conda_client(const EnvMachine& machine);

/// A message for the user if `ready_conda_client` is going to install something; else nullopt.
std::optional<std::string> conda_notice(const EnvMachine& machine);

}  // namespace pinwheel::host
