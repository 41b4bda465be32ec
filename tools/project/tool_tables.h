#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "project/scikit_build.h"
#include "project/version_place.h"

namespace pinwheel::project {

/// The contents of `pyproject.toml` that `Pyproject` does not have: extras, groups, classifiers,
/// and the tables of build backends. Unset values are empty.
struct ToolTables {
  std::vector<std::string> classifiers = {};  ///< `[project] classifiers`
  /// `[project.optional-dependencies]`: extra to requirements, as written.
  std::map<std::string, std::vector<std::string>> extras = {};
  /// `[dependency-groups]` (PEP 735), without included groups.
  std::map<std::string, std::vector<std::string>> groups = {};
  ScikitBuild scikit_build = {};          ///< `[tool.scikit-build]`
  bool meson_limited_api = false;         ///< `[tool.meson-python] limited-api`
  std::string bdist_py_limited_api = {};  ///< `[tool.distutils.bdist_wheel] py-limited-api`
  bool setuptools_extensions = false;     ///< `[tool.setuptools] ext-modules` lists some
  /// The libraries that these link: their `libraries`, and `-l` in `extra-link-args`.
  std::vector<std::string> setuptools_libraries = {};
  bool setuptools_packages = false;   ///< `[tool.setuptools]` has `packages` or `py-modules`
  bool setuptools_rust = false;       ///< `[tool.setuptools-rust]` lists modules or programs
  std::string maturin_bindings = {};  ///< `[tool.maturin] bindings`, "pyo3", "cffi", "bin"
  std::string maturin_manifest = {};  ///< `[tool.maturin] manifest-path`
  std::vector<std::string> maturin_features = {};  ///< `[tool.maturin] features`
  std::string poetry_name = {};                    ///< `[tool.poetry] name`
  std::string poetry_version = {};                 ///< `[tool.poetry] version`
  /// A hook that may compile: `[tool.hatch.build...hooks]`, `[tool.poetry.build]`,
  /// `[tool.pdm.build] run-setuptools`; empty without one.
  std::string build_hook = {};

  /// The place where a dynamic version is written as a literal; nullopt without one.
  std::optional<VersionPlace> version_place = {};

  bool operator==(const ToolTables&) const = default;
};

/// Reads these tables. `file` is the path for messages. `config` if the text is not valid TOML.
Result<ToolTables> parse_tool_tables(std::string_view text, const std::string& file);

}  // namespace pinwheel::project
