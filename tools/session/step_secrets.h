#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "plan/step.h"
#include "session/console.h"

namespace pinwheel::session {

/// The workplace with the values of the secrets that these steps get, from the caller's variables,
/// which no output shows from here on. `environment` if some are missing or too short to be hidden.
Result<host::Workplace> with_secrets(host::Workplace workplace,
                                     const std::vector<const plan::Step*>& steps,
                                     const Console& console);

}  // namespace pinwheel::session
