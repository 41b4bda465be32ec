#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Installs a wheel in a clean environment, together with the siblings that it requires, and runs
/// as much of its tests as this machine allows; the evidence states how much. A test that cannot
/// start here is skipped, with a reason.
Result<run::Success> perform_test(const StepContext& context, const plan::TestWheel& action);

/// Prepares the same test, then calls `enter` instead of running its command; without a wheel if
/// none was built.
Result<ports::Exit> enter_test(const StepContext& context, const plan::TestWheel& action,
                               const Enter& enter);

}  // namespace pinwheel::host
