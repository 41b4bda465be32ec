#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "run/budget.h"

namespace pinwheel::cli {

/// The resources that a run may use: all cores and free memory, or the amounts in the options
/// (`--jobs`, `--memory`); one GPU, one installation and two uploads at a time. `usage` for an
/// option with an invalid amount.
Result<run::Budget> budget_of(const RunOptions& options);

}  // namespace pinwheel::cli
