#pragma once
#include "base/result.h"
#include "host/provision/python_environments.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Creates the base environment of builds or tests if it does not exist.
Result<run::Success> perform_environment(const StepContext& context,
                                         const plan::CreateEnvironment& action);

/// Whether a wheel of that compute type can only be loaded here: it is for CUDA, and there is no
/// GPU.
bool loads_only(const StepContext& context, const std::string& compute);

/// The environment that wheels of that compute type are tested in. If they can only be loaded, it
/// is a separate one without NVIDIA's packages: stub libraries replace gigabytes.
Result<BaseEnvironment> test_environment(const StepContext& context, const env::Request& request,
                                         const std::string& compute);

}  // namespace pinwheel::host
