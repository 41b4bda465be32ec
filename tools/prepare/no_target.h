#pragma once
#include "base/error.h"
#include "matrix/matrix.h"
#include "plan/frozen.h"
#include "prepare/version_facts.h"

namespace pinwheel::prepare {

/// The error of a release without a target: which channel it has, and why, what the matrix says of
/// that channel, and what to write. Pure.
Error no_target(const matrix::Matrix& matrix, const VersionFacts& version);

/// The same of a frozen plan, which the matrix does not change any more. Pure.
Error no_target(const plan::FrozenPlan& plan);

}  // namespace pinwheel::prepare
