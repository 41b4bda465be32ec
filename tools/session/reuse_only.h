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

/// The steps that a run may execute with `--reuse-only`: the named ones; without any, the tests of
/// `test`, the publications and installations of `release`, unless it is only a gate. Pure.
std::set<std::string> requested_steps(const plan::Plan& plan, const prepare::RunOptions& options,
                                      plan::Stage stage, const std::vector<std::string>& named);

/// `usage` for options of `--reuse-only` and `--gate` that contradict each other. Pure.
Done check_reuse_options(const prepare::RunOptions& options, plan::Stage stage);

/// The scope of a frozen plan that executes only these steps. Pure.
Result<prepare::RunScope> executing_only(prepare::RunScope scope,
                                         const prepare::RunOptions& options, plan::Stage stage,
                                         const std::vector<std::string>& named);

/// The steps of a run that only reuses, and where it looked for the others.
struct Searched {
  std::set<std::string> requested;  ///< the steps that it executes itself
  std::vector<std::string> places;  ///< the state directory and the places of the store
  /// The options of a command that runs a step there, quoted: "--plan plan.json --store dir:s".
  std::string options = {};
};

/// The results, with `skipped` for each test in `unplaced` that has no result, once its build has
/// one: no job of a workflow runs the test, so no result will come, and the evidence that
/// publishing requires decides whether that is enough. Pure.
plan::Results with_unplaced(const plan::Plan& plan, plan::Results results,
                            const std::vector<std::string>& unplaced);

/// The steps without a result in such a run, each with the places that were searched and, as its
/// hint, the command that makes the result: `check` errors by id. Pure.
std::map<std::string, Error> missing_results(const plan::Plan& plan, const plan::Results& results,
                                             const Searched& searched);

}  // namespace pinwheel::session
