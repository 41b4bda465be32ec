#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Builds the wheel of a class, finishes it under each of its names and checks each; only wheels
/// that passed every check are moved to the output directory.
Result<run::Success> perform_build(const StepContext& context, const plan::BuildWheel& action);

/// Prepares the same build, then calls `enter` instead of running its command.
Result<ports::Exit> enter_build(const StepContext& context, const plan::BuildWheel& action,
                                const Enter& enter);

}  // namespace pinwheel::host
