#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Publishes the files built for one target, if each test has the evidence that the matrix
/// requires. Kind `check` if not, and for a file that changed since it was built.
Result<run::Success> perform_publish(const StepContext& context, const plan::Publish& action);

}  // namespace pinwheel::host
