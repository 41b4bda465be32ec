#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "env/interpreter.h"
#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Exactly the packages of a solution, installed. Nothing but the client ever writes into it.
struct CondaPrefix {
  std::filesystem::path directory;
  env::Interpreter interpreter;  ///< its own, as it describes itself where the commands run
};

/// Puts exactly these packages into a directory that does not exist yet, by the host's client, and
/// compares every archive with its sha256. Returns the client's program. On any failure the
/// directory is gone. Errors as for `make_conda_prefix`, save those of its Python.
Result<std::string> install_conda_packages(const EnvMachine& machine,
                                           const std::vector<env::CondaPackage>& packages,
                                           const std::filesystem::path& directory);

/// The prefix of these packages in `<machine.cache>/conda/<id>`: made once by the host's client
/// from the exact list, every archive compared with its sha256 before it counts. A machine that is
/// a container sees it at the same path. Errors: `environment` for a file that is not the one of
/// the list, for a full disk, and when its Python does not start (a C library that is too old);
/// `config` when its Python is not the one wanted; `transient` for a channel that does not answer
/// now.
Result<CondaPrefix> make_conda_prefix(const EnvMachine& machine, const std::string& python,
                                      const std::vector<env::CondaPackage>& packages);

}  // namespace pinwheel::host
