#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "env/interpreter.h"
#include "env/resolution.h"
#include "host/machine/env_machine.h"

namespace pinwheel::host {

/// Exactly the packages of a solution, installed. Only the client writes to it.
struct CondaPrefix {
  std::filesystem::path directory;
  env::Interpreter interpreter;  ///< its own, as probed where the commands run
};

/// Installs exactly these packages in a directory that does not exist yet, with the host's client,
/// and checks the sha256 of every archive. Returns the client's program. On any failure the
/// directory is removed. Adds the archives that the client fetched to `machine.installing`; one
/// that another process or step fetches at the same time counts too, unless the client is rattler.
/// Errors as for `make_conda_prefix`, except those of its Python.
Result<std::string> install_conda_packages(const EnvMachine& machine,
                                           const std::vector<env::CondaPackage>& packages,
                                           const std::filesystem::path& directory);

/// The location of prefixes below the cache.
inline constexpr const char* kCondaPlace = "conda";

/// The prefix of these packages in `<machine.cache>/<place>/<id>`: created once by the host's
/// client from the exact list, complete only after the sha256 of every archive has been checked. A
/// machine that is a container sees it at the same path. Errors: `environment` for a file with a
/// different hash, for a full disk, and if its Python does not start (the C library is too old);
/// `config` if its Python has the wrong version; `transient` for a channel that does not respond at
/// the moment.
Result<CondaPrefix> make_conda_prefix(const EnvMachine& machine, const std::string& python,
                                      const std::vector<env::CondaPackage>& packages,
                                      const std::filesystem::path& place = kCondaPlace);

}  // namespace pinwheel::host
