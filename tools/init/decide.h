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

/// Decides every line of the matrix from the facts. Values that equal the matrix's defaults are
/// omitted: the build's command, and the requirements in `[build-system] requires`. `abi` is the
/// result of the proof, if there is one.
Decision decide(const ProjectFacts& facts, const std::optional<Proof>& proof = {});

/// The musl builds that cibuildwheel's `build` or an image enables and `skip` does not exclude,
/// with the lines that enable them. They need containers, so new matrices do not contain them.
std::vector<LeftOut> musl_builds(const ProjectFacts& facts,
                                 const std::vector<std::string>& pythons);

/// The free-threaded Pythons that the project names (`named`) and its matrix does not have
/// (`pythons`), or that cibuildwheel enables without naming one.
std::vector<LeftOut> threaded_builds(const ProjectFacts& facts,
                                     const std::vector<std::string>& named,
                                     const std::vector<std::string>& pythons);

/// The builds that cibuildwheel's `build` and `enable` select and a matrix cannot have, or has only
/// if its author lists them: PyPy, GraalPy, Pyodide, and pre-releases of CPython.
/// (https://cibuildwheel.pypa.io/en/stable/options/#enable)
std::vector<LeftOut> other_pythons(const ProjectFacts& facts);

/// `environment.python` of a matrix with free-threaded Pythons, which few machines have; none
/// without them.
std::vector<MatrixLine> threaded_lines(const std::vector<std::string>& pythons);

}  // namespace pinwheel::init
