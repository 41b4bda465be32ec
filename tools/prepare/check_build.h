#pragma once
#include <vector>

#include "base/result.h"
#include "ports/files.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// Compares the build environments with the project's requirements (`Matrix::build_requires`).
/// `config` if the project needs torch and the matrix has none; a warning for versions that exclude
/// each other.
Done check_build_requires(const matrix::Matrix& matrix,
                          const std::vector<const matrix::Variant*>& built,
                          ports::Notices& notices);

/// Checks builds by the matrix and the checkout alone, before anything is made. The errors of
/// `check_build_requires`; `config` for a `build.command` whose script is not in the checkout; a
/// warning if its program is not on PATH and no package of the environment can install it. Skipped
/// for a third-party sdist, whose files are not known yet.
Done check_builds(const Host& host, const RunScope& scope, ports::Notices& notices);

}  // namespace pinwheel::prepare
