#pragma once
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "project/pyproject.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// The requirements of a wheel of this source beyond `[build-system] requires`, which its backend
/// returns from `get_requires_for_build_wheel` (PEP 517); none if the backend has no such hook.
///
/// `attempt` is one of a build, which is prepared as for the step itself: its environment and
/// toolkit, its variables, a copy of the source in `attempt.scratch`. The backend's output goes to
/// `attempt.log`. `step`, with its last lines, if the backend cannot be imported or its hook fails.
Result<std::vector<std::string>> ask_backend(const Workplace& workplace,
                                             const run::Attempt& attempt,
                                             const project::BuildSystem& system,
                                             const std::stop_token& stop);

}  // namespace pinwheel::host
