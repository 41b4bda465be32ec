#pragma once
#include <vector>

#include "base/result.h"
#include "ports/files.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// Compares the environments of builds with what the project requires of them
/// (`Matrix::build_requires`). `config` if it needs torch and the matrix has none; a warning for
/// versions that exclude each other.
Done check_build_requires(const matrix::Matrix& matrix,
                          const std::vector<const matrix::Variant*>& built,
                          ports::Notices& notices);

/// What the matrix and the checkout show of builds before anything is made: the errors of
/// `check_build_requires`; `config` for a `build.command` whose script the checkout does not have;
/// a warning for one whose program is not on PATH, and no package of the environment can bring it.
/// Of a third-party sdist nothing is known yet.
Done check_builds(const Host& host, const RunScope& scope, ports::Notices& notices);

}  // namespace pinwheel::prepare
