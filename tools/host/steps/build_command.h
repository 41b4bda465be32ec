#pragma once
#include <map>
#include <string>
#include <vector>

#include "base/secret.h"
#include "env/toolkit.h"
#include "host/machine/fixed_path.h"
#include "plan/action.h"
#include "plan/trace_context.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Names below a build's root.
inline constexpr const char* kSourceName = "src";
inline constexpr const char* kDistName = "dist";
inline constexpr const char* kRepairedName = "repaired";
inline constexpr const char* kEnvironmentName = "env";
inline constexpr const char* kToolkitName = "toolkit";
inline constexpr const char* kCondaName = "conda";

/// The inputs of a build's command, before it is wrapped.
struct BuildSetting {
  const BuildSpace& space;
  std::map<std::string, std::string> user;  ///< the user's whole environment
  std::map<std::string, std::string>
      toolkit;  ///< CUDA_HOME and so on; its PATH comes after the environment's
  int cores = 1;
  std::map<std::string, Secret> secrets = {};  ///< values, at least for the names of the action
  plan::PassedTrace trace = {};                ///< may be empty
};

/// The variables, with the values of the named secrets that have one.
std::map<std::string, std::string> with_secrets(std::map<std::string, std::string> variables,
                                                const std::vector<std::string>& names,
                                                const std::map<std::string, Secret>& values);

/// A toolkit's variables, with paths as the build sees them: below `kToolkitName` if that exists.
std::map<std::string, std::string> seen_variables(const env::Toolkit& toolkit,
                                                  const BuildSpace& space);

/// Adds the programs of a conda prefix that is mounted as `kCondaName` before the toolkit's on
/// PATH.
void add_conda_path(const BuildSpace& space, std::map<std::string, std::string>& toolkit);

/// The variables of every build and test: PATH with the environment first, a private HOME and
/// TMPDIR, a fixed locale, no bytecode; of the user's variables only those that cannot change the
/// result (caches, proxies, certificates, pip configuration). ccache, rustup and cargo use their
/// directories below the user's HOME.
std::map<std::string, std::string> clean_variables(const BuildSetting& setting);

/// `build.command` of a class, with placeholders expanded, in its clean environment.
ports::Command build_command(const plan::BuildWheel& action, const BuildSetting& setting);

/// `build.repair` of a class if it is a command, for the wheel of that name in `kDistName`; it
/// writes to `kRepairedName`.
ports::Command repair_command(const plan::BuildWheel& action, const BuildSetting& setting,
                              const std::string& wheel);

/// `python -m build --sdist` of the package, in its clean environment.
ports::Command sdist_command(const plan::BuildSdist& action, const BuildSetting& setting);

}  // namespace pinwheel::host
