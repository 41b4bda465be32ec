#pragma once
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "exports/table.h"
#include "host/steps/perform.h"
#include "inspect/expectations.h"
#include "pep/specifier.h"
#include "plan/action.h"

namespace pinwheel::host {

/// How the rule `undefined-symbols` judges a wheel: on every known build of torch in the range that
/// is of the wheel's kind. `say` is told on how many, or that none is known.
inspect::SymbolsJudge judge_on(std::shared_ptr<const exports::Table> table, pep::SpecifierSet range,
                               std::function<void(const std::string& text)> say);

/// How the rule `undefined-symbols` judges the wheels of a build: on every known build of the torch
/// that the matrix declares, of that minor release, or of all from the Stable ABI's target on. A
/// torch that no table knows is not judged, and the log says so. Empty for a build without torch.
/// The judge refers to `bench`. Errors are those of the table.
Result<inspect::SymbolsJudge> symbols_judge(const Bench& bench, const plan::BuildWheel& action);

}  // namespace pinwheel::host
