#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pinwheel::project {

/// The facts read from a `meson.build`; conditions are not evaluated.
struct MesonBuild {
  std::string version = {};                    ///< a literal in the call of `project`
  std::vector<std::string> dependencies = {};  ///< of `dependency`, each once, as written
  std::vector<std::string> libraries = {};     ///< of `find_library`, each once
  bool extension = false;                      ///< it makes an extension module of Python
  std::string limited_api = {};                ///< of `limited_api:`, "3.10"

  bool operator==(const MesonBuild&) const = default;
};

MesonBuild parse_meson_build(std::string_view text);

/// Merges the facts of two files.
MesonBuild merged(MesonBuild first, const MesonBuild& second);

}  // namespace pinwheel::project
