#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace pinwheel::project {

/// The table `[build-system]` (PEP 517, PEP 518), with the defaults that a project gets without it.
struct BuildSystem {
  std::vector<std::string> requires_ = {"setuptools>=40.8.0"};  ///< PEP 508, as written
  std::string backend = "setuptools.build_meta:__legacy__";     ///< as written
  std::vector<std::string> backend_path = {};  ///< directories of a backend in the source itself

  bool operator==(const BuildSystem&) const = default;
};

/// The part of `pyproject.toml` that packaging standards define, and the settings that decide which
/// programs a build needs.
struct Pyproject {
  BuildSystem build_system = {};
  std::string name = {};                            ///< `[project] name`; empty without one
  std::optional<std::string> version = {};          ///< `[project] version`, if it is static
  bool dynamic_version = false;                     ///< `[project] dynamic` has `version`
  std::optional<std::string> requires_python = {};  ///< as written, ">=3.10"
  std::vector<std::string> dependencies = {};       ///< `[project] dependencies`, as written
  /// `[tool.scikit-build] cmake.version`, ">=3.26"; nullopt without one in that form.
  std::optional<std::string> cmake_version = {};
  /// A table of the backend that can add requirements: `[tool.hatch.build]`, `[tool.pdm.build]`, or
  /// `metadata`, `build.requires`, `overrides` of `[tool.scikit-build]`.
  bool backend_table = false;

  bool operator==(const Pyproject&) const = default;
};

/// Parses the text of `pyproject.toml`. `file` is its path for messages. `config` with the line if
/// the text is not valid TOML, if a key of the standard has a wrong type, or if `[build-system]`
/// lacks `requires` (PEP 518).
Result<Pyproject> parse_pyproject(std::string_view text, const std::string& file);

/// The standard backends, for hints and defaults that depend on them. `other` is any backend that
/// is not listed.
enum class Backend {
  setuptools,
  scikit_build_core,
  meson_python,
  maturin,
  flit,
  hatchling,
  poetry,
  pdm,
  other
};

/// The backend by its object reference, "scikit_build_core.build".
Backend backend_of(const BuildSystem& system);

}  // namespace pinwheel::project
