#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/interpreter.h"
#include "env/resolution.h"
#include "env/toolkit.h"
#include "host/dry_run/dry_container.h"
#include "host/machine/workplace.h"
#include "plan/step.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The beginning of the script: strict mode, the scratch directory.
std::string script_head(const std::filesystem::path& program);

/// An environment of a dry run.
struct DryEnvironment {
  std::string id;  ///< name of its directory in the scratch directory
  env::Interpreter interpreter;
  env::Resolution resolution;
  std::filesystem::path conda = {};                   ///< the prefix of its Python; empty: none
  std::optional<DryContainer> container = {};         ///< nullopt: the host
  std::map<std::string, std::string> variables = {};  ///< the user's, as seen in the container
};

/// The toolkit of a dry build: its location, and the packages that the script installs there if it
/// comes from PyPI.
struct DryToolkit {
  env::Toolkit toolkit;
  std::optional<env::Resolution> packages = std::nullopt;
};
/// PyPI's toolkit as created by the script, in the script's scratch directory.
DryToolkit dry_pypi_toolkit(const std::string& name, const env::Resolution& packages);

/// Creates the environment in the script's scratch directory, from the resolution's exact hashes.
std::string script_of_environment(const DryEnvironment& environment, const Workplace& workplace);

/// Creates PyPI's toolkit, exports the source, runs the same command as `build`, finishes the wheel
/// with `pinwheel finish`.
std::string script_of_build(const plan::BuildWheel& action, const DryEnvironment& environment,
                            const std::optional<DryToolkit>& toolkit, const Workplace& workplace,
                            int cores);

/// The same for the sdist.
std::string script_of_sdist(const plan::BuildSdist& action, const DryEnvironment& environment,
                            const Workplace& workplace);

}  // namespace pinwheel::host
