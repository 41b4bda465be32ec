#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

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
