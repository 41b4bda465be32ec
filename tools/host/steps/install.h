#pragma once
#include "base/result.h"
#include "host/steps/step_context.h"
#include "plan/action.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Installs the wheel of a variant from the first target of its release, with pip and with uv, each
/// into an environment of its own, and imports it.
///
/// The wheel's requirements are installed before it, from the user's own index, and the wheel
/// without requirements, with the hashes of the release's record, from the first target alone:
/// each index is asked only for its own projects. Projects of the release that the wheel requires,
/// directly or not, come from the first target as well, and so do those of its package family
/// (`InstallWheel::siblings`). `check` if the target does not list the
/// release as recorded, if an installer rejects the wheel or installs another one, or if the import
/// fails.
Result<run::Success> perform_install(const StepContext& context, const plan::InstallWheel& action);

}  // namespace pinwheel::host
