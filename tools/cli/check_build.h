#pragma once
#include <vector>

#include "base/result.h"
#include "cli/load.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "ports/files.h"

namespace pinwheel::cli {

/// Compares the environments of builds with what the project requires of them
/// (`Matrix::build_requires`). `config` if it needs torch and the matrix has none; a warning for
/// versions that exclude each other.
Done check_build_requires(const matrix::Matrix& matrix,
                          const std::vector<const matrix::Variant*>& built, Streams& streams);

/// What the matrix and the checkout show of builds before anything is made: the errors of
/// `check_build_requires`; `config` for a `build.command` whose script the checkout does not have;
/// a warning for one whose program is not on PATH, and no package of the environment can bring it.
/// Of a third-party sdist nothing is known yet.
Done check_builds(ports::Files& files, const RunScope& scope, Streams& streams);

}  // namespace pinwheel::cli
