#pragma once
#include <stop_token>

#include "base/result.h"
#include "host/machine/workplace.h"
#include "run/attempt.h"

namespace pinwheel::host {

/// Performs one attempt of a step. Called from a separate thread for each attempt; a stop request
/// terminates the children and returns an `interrupted` error. Errors of tools are classified by
/// their `classify_*` table. No result contains texts that the workplace hides; the scratch
/// directory of a step with secrets is removed.
Result<run::Success> perform(const Workplace& workplace, const run::Attempt& attempt,
                             std::stop_token stop);

}  // namespace pinwheel::host
