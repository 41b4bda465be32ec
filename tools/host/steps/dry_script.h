#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "env/interpreter.h"
#include "env/resolution.h"
#include "env/toolkit.h"
#include "host/machine/workplace.h"
#include "host/steps/dry_container.h"
#include "plan/step.h"
#include "ports/process.h"

namespace pinwheel::host {

/// The beginning of the script: strict mode, the scratch directory it works in.
std::string script_head(const std::filesystem::path& program);

/// What a dry run knows of one environment.
struct DryEnvironment {
  std::string id;  ///< names its directory in the scratch directory
  env::Interpreter interpreter;
  env::Resolution resolution;
  std::filesystem::path conda = {};            ///< the prefix that its Python is of; empty: none
  std::optional<DryContainer> container = {};  ///< none: the host
  std::map<std::string, std::string> variables = {};  ///< the user's, as the container sees them
};

/// The toolkit of a dry build: where it lies, and the packages that the script puts there when it
/// comes from PyPI.
struct DryToolkit {
  env::Toolkit toolkit;
  std::optional<env::Resolution> packages = std::nullopt;
};
/// PyPI's toolkit as the script makes it, in its own scratch directory.
DryToolkit dry_pypi_toolkit(const std::string& name, const env::Resolution& packages);

/// Makes the environment in the script's own scratch directory, from the resolution's exact hashes.
std::string script_of_environment(const DryEnvironment& environment, const Workplace& workplace);

/// Makes PyPI's toolkit, exports the source, runs the very command that `build` runs, finishes the
/// wheel with `pinwheel finish`.
std::string script_of_build(const plan::BuildWheel& action, const DryEnvironment& environment,
                            const std::optional<DryToolkit>& toolkit, const Workplace& workplace,
                            int cores);

/// The sdist, likewise.
std::string script_of_sdist(const plan::BuildSdist& action, const DryEnvironment& environment,
                            const Workplace& workplace);

}  // namespace pinwheel::host
