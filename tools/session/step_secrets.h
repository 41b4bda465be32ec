#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/step.h"
#include "session/console.h"

namespace pinwheel::session {

/// The workplace with the values of the steps' secrets, from the caller's variables. They are
/// hidden in all output from then on. `environment` if a secret is missing or too short to be
/// hidden.
Result<host::Workplace> with_secrets(host::Workplace workplace,
                                     const std::vector<const plan::Step*>& steps,
                                     const Console& console);

}  // namespace pinwheel::session
