#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Creates the toolkit of an environment if it does not exist, and logs its location.
Result<run::Success> perform_toolkit(const StepContext& context, const plan::MakeToolkit& action);

}  // namespace pinwheel::host
