#include "project/limited_api.h"

#include <fmt/format.h>

namespace pinwheel::project {

std::string limited_api_fix(Backend backend, int minor) {
  switch (backend) {
    case Backend::setuptools:
      return fmt::format(
          "define `Py_LIMITED_API` as `0x03{:02x}0000`, pass `py_limited_api=True` to each "
          "`Extension`, and set `py_limited_api = cp3{}` in `[bdist_wheel]` of `setup.cfg`",
          minor, minor);
    case Backend::scikit_build_core:
      return fmt::format(
          "set `wheel.py-api = \"cp3{}\"` in `[tool.scikit-build]`, and build the module with "
          "`USE_SABI 3.{}`",
          minor, minor);
    case Backend::meson_python:
      return fmt::format(
          "set `limited-api = true` in `[tool.meson-python]`, and `limited_api: '3.{}'` for each "
          "`extension_module`",
          minor);
    case Backend::maturin:
      return fmt::format("turn on the feature `abi3-py3{}` of `pyo3` in `Cargo.toml`", minor);
    case Backend::flit:
    case Backend::hatchling:
    case Backend::poetry:
    case Backend::pdm:
    case Backend::other:
      break;
  }
  return fmt::format(
      "build the extension with `Py_LIMITED_API` set to `0x03{:02x}0000`, and make "
      "the backend tag the wheel `cp3{}-abi3`",
      minor, minor);
}

std::string no_abi_fix(Backend backend) {
  switch (backend) {
    case Backend::setuptools:
      return "make `get_tag` of its `bdist_wheel` command return `py3`, `none` and the platform";
    case Backend::scikit_build_core:
      return "set `wheel.py-api = \"py3\"` in `[tool.scikit-build]`";
    case Backend::meson_python:
      return "install its libraries with `pure: false` and without an `extension_module`";
    case Backend::maturin:
      return "set `bindings = \"cffi\"` in `[tool.maturin]`";
    case Backend::flit:
    case Backend::hatchling:
    case Backend::poetry:
    case Backend::pdm:
    case Backend::other:
      break;
  }
  return "make the backend tag the wheel `py3-none`";
}

}  // namespace pinwheel::project
