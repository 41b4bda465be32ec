#include "project/limited_api.h"

#include <fmt/format.h>

#include "base/text.h"

namespace pinwheel::project {

std::string limited_api_fix(Backend backend, int minor) {
  switch (backend) {
    case Backend::setuptools:
      return fmt::format(
          "define `Py_LIMITED_API` as `0x03{:02x}0000`, pass `py_limited_api=True` to each "
          "`Extension`, and set {} in `[bdist_wheel]` of `setup.cfg`",
          minor, quoted(fmt::format("py_limited_api = cp3{}", minor)));
    case Backend::scikit_build_core:
      return fmt::format("set {} in `[tool.scikit-build]`, and build the module with {}",
                         quoted(fmt::format("wheel.py-api = \"cp3{}\"", minor)),
                         quoted(fmt::format("USE_SABI 3.{}", minor)));
    case Backend::meson_python:
      return fmt::format(
          "set `limited-api = true` in `[tool.meson-python]`, and {} for each `extension_module`",
          quoted(fmt::format("limited_api: '3.{}'", minor)));
    case Backend::maturin:
      return fmt::format("turn on the feature {} of `pyo3` in `Cargo.toml`",
                         quoted(fmt::format("abi3-py3{}", minor)));
    case Backend::flit:
    case Backend::hatchling:
    case Backend::poetry:
    case Backend::pdm:
    case Backend::other:
      break;
  }
  return fmt::format(
      "build the extension with `Py_LIMITED_API` set to `0x03{:02x}0000`, and make the backend tag "
      "the wheel {}",
      minor, quoted(fmt::format("cp3{}-abi3", minor)));
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
