#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Publishes what the builds left for one target, once each test has shown the evidence that the
/// matrix requires. Kind `check` where it has not, and for a file that changed since it was built.
Result<run::Success> perform_publish(const StepContext& context, const plan::Publish& action);

}  // namespace pinwheel::host
