#pragma once
#include "base/result.h"
#include "cli/options.h"
#include "run/budget.h"

namespace pinwheel::cli {

/// What a run may take of this machine: all its cores and free memory, or what the options give
/// (`--jobs`, `--memory`); one GPU, one installation and two uploads at a time. `usage` for an
/// option that is no such amount.
Result<run::Budget> budget_of(const RunOptions& options);

}  // namespace pinwheel::cli
