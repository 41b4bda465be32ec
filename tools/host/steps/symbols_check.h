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

/// What judges the wheels of a build by the known releases of torch.
struct TorchJudges {
  inspect::SymbolsJudge symbols = {};
  inspect::WheelJudge bounds = {};
};

/// The checks of the rules `undefined-symbols` and `torch-bounds` for the wheels of a build. The
/// symbols are checked against every known build of the torch that the matrix declares, of that
/// minor release, or of all since the Stable ABI's target. An unknown torch is not checked, which
/// is logged. Empty for a build without torch. The result refers to `context`. Errors are those of
/// the table.
Result<TorchJudges> torch_judges(const StepContext& context, const plan::BuildWheel& action);

}  // namespace pinwheel::host
