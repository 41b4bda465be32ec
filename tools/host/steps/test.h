#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Installs a wheel in a clean environment and runs its tests, as far as this machine can: the
/// evidence says how far that was. A test that cannot start here is skipped with the reason.
Result<run::Success> perform_test(const StepContext& context, const plan::TestWheel& action);

/// Prepares the same test and enters at its command, without the wheel where no build left one.
Result<ports::Exit> enter_test(const StepContext& context, const plan::TestWheel& action,
                               const Enter& enter);

}  // namespace pinwheel::host
