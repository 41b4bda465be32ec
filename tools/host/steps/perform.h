#pragma once
#include <stop_token>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "run/runner.h"

namespace pinwheel::host {

/// Carries out one attempt of a step in the real world. Called from a thread of its own for each
/// attempt; a request to stop ends the children and gives an `interrupted` error. Errors carry what
/// the tool's `classify_*` table says of its exit.
Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop);

}  // namespace pinwheel::host
