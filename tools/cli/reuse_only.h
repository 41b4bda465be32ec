#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "cli/options.h"
#include "cli/run_scope.h"
#include "plan/make_plan.h"
#include "plan/reuse.h"
#include "plan/step.h"

namespace pinwheel::cli {

/// The steps that a run may carry out with `--reuse-only`: those that are named; without any, the
/// tests of `test` and the publications of `release`, unless it is only a gate. Pure.
std::set<std::string> requested_steps(const plan::Plan& plan, const RunOptions& options,
                                      plan::Stage stage, const std::vector<std::string>& named);

/// `usage` for options of `--reuse-only` and `--gate` that contradict each other. Pure.
Done check_reuse_options(const RunOptions& options);

/// The scope of a frozen plan that carries out only these steps. Pure.
Result<RunScope> carrying_only(RunScope scope, const RunOptions& options, plan::Stage stage,
                               const std::vector<std::string>& named);

/// The steps that a run which only reuses does not have, each with where it was looked for: `check`
/// errors by id. `places`: the state directory and the places of the store. Pure.
std::map<std::string, Error> missing_results(const plan::Plan& plan, const plan::Results& results,
                                             const std::set<std::string>& requested,
                                             const std::vector<std::string>& places);

}  // namespace pinwheel::cli
