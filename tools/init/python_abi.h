#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// `abi.python`, and why.
struct PythonAbiChoice {
  /// Which Pythons without the limited API the project builds for, one wheel each.
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

/// Decides from what the build files say. `pythons` are those of the matrix, ascending: the oldest
/// is the limit where a project uses the limited API without naming one.
PythonAbiChoice choose_python_abi(const ProjectFacts& facts,
                                  const std::vector<std::string>& pythons);

/// The choice for a matrix with these Pythons: those without the limited API get builds of their
/// own.
PythonAbiChoice with_own_builds(PythonAbiChoice choice, const std::vector<std::string>& pythons);

}  // namespace pinwheel::init
