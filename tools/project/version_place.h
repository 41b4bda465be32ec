#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/toml.h"

namespace pinwheel::project {

/// The place where a project with a dynamic version has it as a literal, according to the table of
/// its backend.
struct VersionPlace {
  std::vector<std::string> files = {};  ///< relative to the project; the first that exists counts
  /// Variables, one of which is assigned the version; empty if the whole file is the version.
  std::vector<std::string> variables = {};

  bool operator==(const VersionPlace&) const = default;
};

/// A version and the file that contains it.
struct WrittenVersion {
  std::string version;
  std::string file;

  bool operator==(const WrittenVersion&) const = default;
};

/// The place that setuptools (`attr`, `file`), hatchling (`path`), flit, pdm (`source = "file"`) or
/// scikit-build-core (its regex provider) read the version from. nullopt if the version is not
/// dynamic, or comes from elsewhere, such as git or a pattern of the project's own.
std::optional<VersionPlace> version_place(const toml::table& pyproject);

/// The version in the text of a file: the literal that one of the variables is assigned at the
/// start of a line, `__version__: str = "1.0"`, or all of the text. nullopt if it is computed.
std::optional<std::string> version_in(std::string_view text, const VersionPlace& place);

}  // namespace pinwheel::project
