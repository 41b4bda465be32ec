#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

/// Whether patterns in the form of a `.gitignore` match a path, which is relative to the project.
/// The last pattern that matches the path or a directory above it decides; `!` re-includes, also
/// below a directory that is ignored. Pure.
bool is_ignored(const std::vector<std::string>& patterns, std::string_view path);

/// Whether a file of a project is text for its readers: a README or a CHANGELOG at the top level,
/// or a file in the directories `docs`, `doc` and `.github`. Pure.
bool is_documentation(std::string_view path);

/// The inputs that decide which files of a project can be in its wheels.
struct WheelInputs {
  std::string name;                                ///< of the distribution
  std::vector<std::string> files = {};             ///< of the project, relative to it
  std::map<std::string, std::string> builds = {};  ///< texts of those of `kBuildFiles` that it has
  std::vector<std::string> commands = {};          ///< words of the matrix's commands for builds
};

/// The top-level files of a project that define its build.
extern const std::vector<std::string> kBuildFiles;

/// Patterns for files that no wheel of the project contains: its tests, its documentation and texts
/// such as README and CHANGELOG, but not those that a build file or a command names, nor those that
/// its backend adds by default. Pure.
std::vector<std::string> not_in_wheels(const WheelInputs& inputs);

}  // namespace pinwheel::project
