#pragma once
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/make_plan.h"
#include "plan/step.h"
#include "prepare/options.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The environment of a build, an sdist, a test or an installation; nullptr for other actions,
/// which have none or make one. Pure.
const env::Request* request_of(const plan::Action& action);

/// The part of a plan to execute for these steps. Pure.
ExecutedPart executed_part(const plan::Plan& plan, const std::set<std::string>& steps);

/// `usage` if `--step` is combined with another selector, including `globs`.
Done check_step_choice(const RunOptions& options, const std::vector<std::string>& globs);

/// The scope without the variants that the steps do not need; it executes only the steps and their
/// needs. Without steps, the scope is unchanged. Pure. `usage` with the nearest name for a step
/// that is not in the scope, and for one of a later stage.
Result<RunScope> narrowed_to_steps(RunScope scope, const std::vector<std::string>& steps);

/// The scope with the needs of its steps updated after the build requirements of the project were
/// read and the backends have answered: both are part of the request for an environment. Pure.
Result<RunScope> with_answered_needs(RunScope scope);

}  // namespace pinwheel::prepare
