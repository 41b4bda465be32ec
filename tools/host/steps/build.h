#pragma once
#include <chrono>
#include <string>

#include "base/result.h"
#include "host/machine/fixed_path.h"
#include "host/steps/build_site.h"
#include "host/steps/repair_build.h"
#include "host/steps/step_context.h"
#include "host/wheels/finish_files.h"
#include "plan/action.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Builds the wheel of a class, finishes it under each of its names and checks each; only wheels
/// that passed every check are moved to the output directory.
Result<run::Success> perform_build(const StepContext& context, const plan::BuildWheel& action);

/// Runs the command of a build to compile the device code of one architecture, which it moves to
/// the output directory. The wheel is not used.
Result<run::Success> perform_device_code(const StepContext& context,
                                         const plan::CompileDeviceCode& action);

/// Runs the command of the build for one architecture. The programs that run in place of cicc and
/// ptxas write the device code to `kDeviceCodeName`.
Done compile_device_code(const StepContext& context, const plan::CompileDeviceCode& action,
                         const BuildSite& site);

/// Runs the command of the build, which writes the wheel to `kDistName`. `key` is the digest of the
/// build's inputs (`compile_key`). With `build.checkpoint`, the build continues from its newest
/// checkpoint, and is stopped before the end of the run's time: kind `unfinished`. A build that
/// fails after it continued is repeated from the beginning. Returns the time that earlier runs
/// spent on the checkpoint.
Result<std::chrono::milliseconds> compile_wheel(const StepContext& context,
                                                const plan::BuildWheel& action,
                                                const BuildSite& site, const std::string& key);

/// How the wheel of a class is finished under one of its names. Its record lists the libraries
/// added to the wheel, and states if the build could not use the fixed path: its bytes may then
/// differ elsewhere.
FinishRequest finish_request(const plan::BuildWheel& action, const wheel::Naming& naming,
                             PathMode mode, const std::string& record_of_repair);

/// Prepares the same build, then calls `enter` instead of running its command.
Result<ports::Exit> enter_build(const StepContext& context, const plan::BuildWheel& action,
                                const Enter& enter);

}  // namespace pinwheel::host
