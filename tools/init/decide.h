#pragma once
#include <optional>
#include <string>
#include <vector>

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

/// Builds for musl that cibuildwheel's `build` or an image for them names, and `skip` does not take
/// back: with the lines that make them. They need containers, so that no matrix begins with them.
std::vector<LeftOut> musl_builds(const ProjectFacts& facts,
                                 const std::vector<std::string>& pythons);

/// Free-threaded Pythons that the project names (`named`), and its matrix does not have
/// (`pythons`); or that cibuildwheel enables without naming one.
std::vector<LeftOut> threaded_builds(const ProjectFacts& facts,
                                     const std::vector<std::string>& named,
                                     const std::vector<std::string>& pythons);

/// `environment.python` of a matrix with free-threaded Pythons, which few machines have; none
/// without.
std::vector<MatrixLine> threaded_lines(const std::vector<std::string>& pythons);

}  // namespace pinwheel::init
