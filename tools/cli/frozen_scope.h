#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/run_scope.h"
#include "cli/streams.h"
#include "plan/frozen.h"
#include "plan/make_plan.h"
#include "ports/files.h"
#include "ports/git.h"

namespace pinwheel::cli {

/// The frozen plan in a file; none if `file` is empty.
Result<std::optional<plan::FrozenPlan>> read_frozen_plan(ports::Files& files,
                                                         const std::string& file);

/// The matrix among the positional arguments, else that of the plan in the repository of the
/// working directory; without a plan, as `choose_matrix`. `usage` if the plan is of another matrix.
Result<MatrixChoice> choose_matrix_of(ports::Files& files, ports::Git& git,
                                      const std::vector<std::string>& arguments,
                                      const std::optional<plan::FrozenPlan>& frozen);

/// What the command line asks of a frozen plan.
struct FrozenScopeRequest {
  const GlobalOptions& global;
  const SelectionOptions& selection;
  const LevelOptions& levels;
  const MatrixChoice& choice;
  plan::Stage stage = plan::Stage::test;
  const plan::FrozenPlan& frozen;
};

/// The scope of a run of a frozen plan. Of the checkout only the matrix is read, so a clone without
/// history will do. `usage` if the command line contradicts the plan; the errors of
/// `frozen_outline`.
Result<RunScope> frozen_scope(const FrozenScopeRequest& request, Streams& streams);

/// `publish:` for each target asked for; `usage` for one that the plan does not have. Pure.
Result<std::vector<std::string>> publications(const plan::FrozenPlan& frozen,
                                              const std::vector<std::string>& targets);

}  // namespace pinwheel::cli
