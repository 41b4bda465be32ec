#pragma once
#include <optional>
#include <string>
#include <vector>

#include "env/conda_client.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Every conda client of the user's that runs, in the order in which they are taken: MAMBA_EXE,
/// `micromamba` and `mamba` of PATH, CONDA_EXE, `conda` of PATH. Each program once.
std::vector<env::CondaClient> list_conda_clients(const EnvMachine& machine);

/// The client to use: what PINWHEEL_CONDA names (a path, or one of micromamba, mamba, conda and
/// rattler), else the first of the list that is recent enough, else rattler, whose `program` is
/// empty: it may not be installed yet. `environment` when the named one does not run or is too old.
Result<env::CondaClient> find_conda_client(const EnvMachine& machine);

/// The same, ready to run: rattler is installed when it is not there, in `<cache>/tools`, with a
/// Python of the host and by the user's pip configuration. Always of the host, also for a machine
/// that is a container.
Result<env::CondaClient> ready_conda_client(const EnvMachine& machine);

/// What a user should hear before `ready_conda_client` installs something; nothing when it will
/// not.
std::optional<std::string> conda_notice(const EnvMachine& machine);

}  // namespace pinwheel::host
