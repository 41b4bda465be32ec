#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// `abi.python`, and why.
struct PythonAbiChoice {
  std::string value;       ///< "none", "limited(3.10)", "version"
  std::string limit = {};  ///< "3.10" of a limited API
  std::string because = {};
  std::vector<LeftOut> left_out = {};
};

/// Decides from what the build files say. `oldest` is the oldest Python of the matrix: the limit
/// where a project uses the limited API without naming one.
PythonAbiChoice choose_python_abi(const ProjectFacts& facts, const std::string& oldest);

}  // namespace pinwheel::init
