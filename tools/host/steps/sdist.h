#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Builds the sdist and puts it, finished, into the output directory.
Result<run::Success> perform_sdist(const StepContext& context, const plan::BuildSdist& action);

/// Prepares the same build and enters at its command.
Result<ports::Exit> enter_sdist(const StepContext& context, const plan::BuildSdist& action,
                                const Enter& enter);

}  // namespace pinwheel::host
