#pragma once
#include <map>
#include <string>
#include <vector>

#include "env/toolkit.h"
#include "host/machine/fixed_path.h"
#include "plan/action.h"
#include "ports/process.h"

namespace pinwheel::host {

/// Names below a build's root.
inline constexpr const char* kSourceName = "src";
inline constexpr const char* kDistName = "dist";
inline constexpr const char* kEnvironmentName = "env";
inline constexpr const char* kToolkitName = "toolkit";
inline constexpr const char* kCondaName = "conda";

/// What runs inside a build's space, before it is wrapped.
struct BuildSetting {
  const BuildSpace& space;
  std::map<std::string, std::string> user;  ///< the user's whole environment
  std::map<std::string, std::string>
      toolkit;  ///< CUDA_HOME and the like; PATH there comes after the environment's
  int cores = 1;
};

/// A toolkit's variables with its paths as the build sees them: one that is mounted as
/// `kToolkitName` lies there.
std::map<std::string, std::string> seen_variables(const env::Toolkit& toolkit,
                                                  const BuildSpace& space);

/// Puts the programs of a conda prefix that is mounted as `kCondaName` before the toolkit's.
void add_conda_path(const BuildSpace& space, std::map<std::string, std::string>& toolkit);

/// The variables that every build and test sees: PATH with the environment first, its own HOME and
/// TMPDIR, a fixed locale, no byte-code; of the user's only what cannot change the result (caches,
/// proxies, certificates, pip configuration).
std::map<std::string, std::string> clean_variables(const BuildSetting& setting);

/// `build.command` of a class, its placeholders filled, in its clean environment.
ports::Command build_command(const plan::BuildWheel& action, const BuildSetting& setting);

/// `python -m build --sdist` of the package, in its clean environment.
ports::Command sdist_command(const plan::BuildSdist& action, const BuildSetting& setting);

}  // namespace pinwheel::host
