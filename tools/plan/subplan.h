#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "matrix/variant.h"
#include "plan/outline.h"
#include "plan/step.h"

namespace pinwheel::plan {

/// The given steps with everything they need, in plan order. `usage`, with the nearest name, if the
/// plan lacks one of them.
Result<Plan> subplan(const Plan& plan, const std::vector<std::string>& steps);

/// The builds for which steps compile device code, with everything that they need except device
/// code, in plan order; empty if any of the steps is another one.
Plan builds_of_device_code(const Plan& plan, const std::vector<std::string>& steps);

/// The variants without which the given steps could not be planned: the representatives of builds,
/// the variants of tests, all for an sdist's first build, for environments and for publications. In
/// the order of the outline. Unknown steps add nothing.
std::vector<matrix::Variant> variants_of_steps(const Outline& outline,
                                               const std::vector<std::string>& steps);

}  // namespace pinwheel::plan
