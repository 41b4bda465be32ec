#pragma once
#include <optional>
#include <string>

#include "init/draft.h"
#include "init/project_facts.h"
#include "init/proof.h"

namespace pinwheel::init {

/// A matrix for the project, and the name of its package.
struct Decision {
  std::string name;
  MatrixDraft draft;
};

/// Decides every line of the matrix from the facts. What the matrix leaves to its defaults is not
/// in it: the build's command, and what `[build-system] requires`. `abi` is that of the proof, if
/// there is one.
Decision decide(const ProjectFacts& facts, const std::optional<Proof>& proof = {});

}  // namespace pinwheel::init
