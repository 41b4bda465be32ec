#pragma once
#include <string>
#include <vector>

#include "matrix/settings.h"

namespace pinwheel::matrix {

/// The default build command: the package's own backend (PEP 517), in the environment of the build.
/// The requirement of that command is `kDefaultFrontend`.
std::vector<std::string> default_build_command();
inline constexpr const char* kDefaultFrontend = "build";

/// The environment with the requirements of the project's `[build-system]` (PEP 508), after its
/// own. A project that `pip` or `tools` name is taken only from them. torch is the variant's, so a
/// requirement on it adds nothing.
EnvironmentSettings with_build_requires(EnvironmentSettings environment,
                                        const std::vector<std::string>& requires_);

/// Why an environment cannot satisfy the project's build requirements, for a warning: projects that
/// both name with versions that exclude each other. Empty if nothing contradicts.
std::vector<std::string> contradictions(const EnvironmentSettings& own,
                                        const std::vector<std::string>& requires_);

/// Whether the project needs torch to build, and the environment names none.
bool lacks_torch(const EnvironmentSettings& own, const std::vector<std::string>& requires_);

}  // namespace pinwheel::matrix
