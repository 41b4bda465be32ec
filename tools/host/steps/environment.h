#pragma once
#include "base/result.h"
#include "host/provision/python_environments.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Makes an environment that builds or tests stand on, if it is not there.
Result<run::Success> perform_environment(const StepContext& context,
                                         const plan::CreateEnvironment& action);

/// Whether a wheel of that compute can only be loaded here: it is for CUDA, and there is no GPU.
bool loads_only(const StepContext& context, const std::string& compute);

/// The environment that wheels of that compute are tested in. Where they can only be loaded it is
/// one of its own, without NVIDIA's packages: stub libraries stand in for gigabytes.
Result<BaseEnvironment> test_environment(const StepContext& context, const env::Request& request,
                                         const std::string& compute);

}  // namespace pinwheel::host
