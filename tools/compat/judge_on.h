#pragma once
#include <functional>
#include <memory>
#include <string>

#include "exports/table.h"
#include "inspect/expectations.h"
#include "pep/specifier.h"

namespace pinwheel::compat {

/// How the rule `undefined-symbols` judges a wheel: on every known build of torch in the range that
/// is of the wheel's kind. `say` is called with their number, or with the message that none is
/// known.
inspect::SymbolsJudge judge_on(std::shared_ptr<const exports::Table> table, pep::SpecifierSet range,
                               std::function<void(const std::string& text)> report);

}  // namespace pinwheel::compat
