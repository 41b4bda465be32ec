#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "plan/make_plan.h"
#include "plan/reuse.h"
#include "plan/step.h"
#include "prepare/options.h"
#include "prepare/run_scope.h"

namespace pinwheel::session {

/// The steps that a run may carry out with `--reuse-only`: those that are named; without any, the
/// tests of `test` and the publications of `release`, unless it is only a gate. Pure.
std::set<std::string> requested_steps(const plan::Plan& plan, const prepare::RunOptions& options,
                                      plan::Stage stage, const std::vector<std::string>& named);

/// `usage` for options of `--reuse-only` and `--gate` that contradict each other. Pure.
Done check_reuse_options(const prepare::RunOptions& options, plan::Stage stage);

/// The scope of a frozen plan that carries out only these steps. Pure.
Result<prepare::RunScope> carrying_only(prepare::RunScope scope, const prepare::RunOptions& options,
                                        plan::Stage stage, const std::vector<std::string>& named);

/// What a run that only reuses has looked for, and where.
struct Searched {
  std::set<std::string> requested;  ///< the steps that it carries out itself
  std::vector<std::string> places;  ///< the state directory and the places of the store
};

/// The results, and of each test in `unplaced` without one, once its build has one, that it was
/// skipped: no job of a workflow runs it, so no result will come, and what publishing requires
/// decides whether that is enough. Pure.
plan::Results with_unplaced(const plan::Plan& plan, plan::Results results,
                            const std::vector<std::string>& unplaced);

/// The steps that such a run does not have, each with where it was looked for: `check` errors by
/// id. Pure.
std::map<std::string, Error> missing_results(const plan::Plan& plan, const plan::Results& results,
                                             const Searched& searched);

}  // namespace pinwheel::session
