#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "exports/table.h"
#include "host/steps/step_context.h"
#include "inspect/expectations.h"
#include "pep/specifier.h"
#include "plan/action.h"

namespace pinwheel::host {

/// The check of rule `undefined-symbols` for the wheels of a build: against every known build of
/// the torch that the matrix declares, of that minor release, or of all since the Stable ABI's
/// target. An unknown torch is not checked, which is logged. Empty for a build without torch. The
/// result refers to `context`. Errors are those of the table.
Result<inspect::SymbolsJudge> symbols_judge(const StepContext& context,
                                            const plan::BuildWheel& action);

}  // namespace pinwheel::host
