#pragma once
#include "base/error.h"
#include "matrix/matrix.h"
#include "plan/frozen.h"
#include "prepare/version_facts.h"

namespace pinwheel::prepare {

/// The error of a release without a target. It names the channel and why it was chosen, its setting
/// in the matrix, and the lines to write. Pure.
Error no_target(const matrix::Matrix& matrix, const VersionFacts& version);

/// The same for a frozen plan, which the matrix no longer changes. Pure.
Error no_target(const plan::FrozenPlan& plan);

}  // namespace pinwheel::prepare
