#pragma once
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/toml.h"

namespace pinwheel::project {

/// The settings in `[tool.scikit-build]` that affect a wheel's name and the modules that CMake
/// builds.
struct ScikitBuildSettings {
  bool cmake = true;                 ///< `wheel.cmake`: whether CMake runs
  std::optional<bool> platlib = {};  ///< `wheel.platlib`; defaults to `cmake`
  std::string py_api = {};           ///< `wheel.py-api`, "cp312", "py3"
  std::string source_dir = {};       ///< `cmake.source-dir`; empty for the project's top
  std::map<std::string, std::string> defines = {};  ///< literals of `cmake.define`

  /// Whether the wheel is platform-independent.
  bool is_pure() const { return !platlib.value_or(cmake); }

  auto operator<=>(const ScikitBuildSettings&) const = default;
};

/// A condition below `if` of an override: "python-version" and ">=3.12", "env.CI" and "true".
struct ScikitBuildCondition {
  std::string key;
  std::string value;
  bool flag = false;  ///< the value is a boolean, not text

  bool operator==(const ScikitBuildCondition&) const = default;
};

/// A table of `[[tool.scikit-build.overrides]]`. It applies if all of `all` hold, none of `none`,
/// and one of `any` unless that is empty.
struct ScikitBuildOverride {
  std::vector<ScikitBuildCondition> all = {};
  std::vector<ScikitBuildCondition> any = {};
  std::vector<ScikitBuildCondition> none = {};
  /// The overridden settings by dotted key, "wheel.py-api"; a boolean is `true` or `false`.
  std::vector<std::pair<std::string, std::string>> settings = {};
  bool replaces_defines = false;  ///< it has `cmake.define`, and does not inherit the others

  bool operator==(const ScikitBuildOverride&) const = default;
};

/// The part of the table `[tool.scikit-build]` that affects `ScikitBuildSettings`.
struct ScikitBuild {
  ScikitBuildSettings base = {};
  std::vector<ScikitBuildOverride> overrides = {};  ///< in order: a later one wins

  bool operator==(const ScikitBuild&) const = default;
};

/// Reads the table; a value of a wrong type counts as absent.
ScikitBuild read_scikit_build(const toml::table& document);

/// The facts about a build that are known before it runs: for Linux, by CPython, on its first
/// attempt.
struct ScikitBuildSite {
  std::string python = {};                            ///< "3.12", "3.14t"
  std::string requirement = {};                       ///< on scikit-build-core, as written
  bool from_sdist = false;                            ///< the source has a `PKG-INFO`
  std::map<std::string, std::string> variables = {};  ///< those that the matrix sets
  std::vector<std::pair<std::string, std::string>> config_settings = {};  ///< of the frontend
};

/// The possible settings of a build.
struct ScikitBuildOutcomes {
  std::vector<ScikitBuildSettings> possible = {};  ///< ascending, each once; never empty
  /// The conditions that only the build itself decides and that affect the settings: "env.CI".
  std::vector<std::string> undecided = {};
};

/// Applies the overrides as scikit-build-core does. A condition that cannot be decided here (the
/// name of a machine, an unknown program version) is evaluated both ways. The builds of pinwheel
/// use CMake from an index and none of the caller's variables.
ScikitBuildOutcomes scikit_build_outcomes(const ScikitBuild& table, const ScikitBuildSite& site);

}  // namespace pinwheel::project
