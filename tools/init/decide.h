#pragma once
#include <string>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// A matrix for the project, and the name of its package.
struct Decision {
  std::string name;
  MatrixDraft draft;
};

/// Decides every line of the matrix from the facts. What the matrix leaves to its defaults is not
/// in it: the build's command, and what `[build-system] requires`.
Decision decide(const ProjectFacts& facts);

}  // namespace pinwheel::init
