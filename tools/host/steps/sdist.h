#pragma once
#include "base/result.h"
#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Builds and finishes the sdist, and puts it into the output directory.
Result<run::Success> perform_sdist(const StepContext& context, const plan::BuildSdist& action);

/// Runs the command of the build, which writes the sdist to `kDistName`.
Done compile_sdist(const StepContext& context, const plan::BuildSdist& action,
                   const BuildSite& site);

/// Prepares the same build, then calls `enter` instead of running its command.
Result<ports::Exit> enter_sdist(const StepContext& context, const plan::BuildSdist& action,
                                const Enter& enter);

}  // namespace pinwheel::host
