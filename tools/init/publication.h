#pragma once
#include <string>
#include <vector>

#include "init/draft.h"
#include "init/project_facts.h"

namespace pinwheel::init {

/// `channels` and `publish`. Without the axis `compute`, the first release needs no edit: a
/// directory is the target of every commit and tag, and other indexes are comments. With it, all
/// lines are comments, because an index takes labels or needs a name for each compute, and the
/// project must choose. `computes` and `torches` are the values of these axes, none without the
/// axis.
std::vector<MatrixLine> publication_lines(const ProjectFacts& facts,
                                          const std::vector<std::string>& computes,
                                          const std::vector<std::string>& torches);

}  // namespace pinwheel::init
