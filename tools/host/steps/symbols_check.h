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

/// How the rule `undefined-symbols` judges the wheels of a build: on every known build of the torch
/// that the matrix declares, of that minor release, or of all from the Stable ABI's target on. A
/// torch that no table knows is not judged, and the log says so. Empty for a build without torch.
/// The judge refers to `context`. Errors are those of the table.
Result<inspect::SymbolsJudge> symbols_judge(const StepContext& context,
                                            const plan::BuildWheel& action);

}  // namespace pinwheel::host
