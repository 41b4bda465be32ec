#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// `channels` and `publish` of a matrix whose first release needs no edit: a directory is the
/// target of every commit and tag. What is a choice of the project stands in comments: indexes, a
/// channel for nightlies, more evidence. `computes` and `torches` are the values of these axes,
/// none without the axis.
std::vector<MatrixLine> publication_lines(const ProjectFacts& facts,
                                          const std::vector<std::string>& computes,
                                          const std::vector<std::string>& torches);

}  // namespace pinwheel::init
