#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// `abi.python`, and the reason.
struct PythonAbiChoice {
  /// The Pythons without the limited API for which the project builds, one wheel each.
  struct OwnBuilds {
    bool older = false;
    bool threaded = false;
  };

  std::string value;       ///< "none", "limited(3.10)", "version"
  std::string limit = {};  ///< "3.10" of a limited API
  std::string because = {};
  std::vector<LeftOut> left_out = {};
  OwnBuilds own = {};
  bool certain = false;  ///< the backend's tables alone decide it
};

/// Decides from the contents of the build files. `pythons` are those of the matrix, ascending: the
/// oldest is the limit if a project uses the limited API without naming a version.
PythonAbiChoice choose_python_abi(const ProjectFacts& facts,
                                  const std::vector<std::string>& pythons);

/// The choice for a matrix with these Pythons: those without the limited API get their own builds.
PythonAbiChoice with_own_builds(PythonAbiChoice choice, const std::vector<std::string>& pythons);

}  // namespace pinwheel::init
