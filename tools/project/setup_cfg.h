#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

/// The facts read from `setup.cfg`, as setuptools reads it. Unset values are empty; a value that
/// begins with `attr:` or `file:` is defined elsewhere and counts as unset.
struct SetupCfg {
  std::string name = {};
  std::string version = {};
  std::string python_requires = {};
  std::vector<std::string> install_requires = {};
  std::vector<std::string> setup_requires = {};
  std::vector<std::string> classifiers = {};
  std::map<std::string, std::vector<std::string>> extras = {};  ///< `options.extras_require`
  std::vector<std::string> libraries = {};                      ///< `[build_ext] libraries`
  bool packages = false;            ///< `options.packages` or `options.py_modules`
  std::string py_limited_api = {};  ///< `[bdist_wheel] py_limited_api`, "cp310"

  bool operator==(const SetupCfg&) const = default;
};

/// Reads the INI format of Python's configparser, in which indented lines continue a value. Skips
/// text that is not in that format.
SetupCfg parse_setup_cfg(std::string_view text);

}  // namespace pinwheel::project
