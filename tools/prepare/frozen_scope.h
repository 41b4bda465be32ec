#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/frozen.h"
#include "plan/make_plan.h"
#include "ports/files.h"
#include "ports/git.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/options.h"
#include "prepare/run_scope.h"

namespace pinwheel::prepare {

/// The frozen plan in a file; none if `file` is empty.
Result<std::optional<plan::FrozenPlan>> read_frozen_plan(ports::Files& files,
                                                         const std::string& file);

/// `config` if the path of a matrix leaves the repository: reports and plans come from anywhere.
/// Pure.
Done check_matrix_path(const std::string& path);

/// The matrix among the positional arguments, else that of the plan in the repository of the
/// working directory; without a plan, as `choose_matrix`. `usage` if the plan is of another matrix.
Result<MatrixChoice> choose_matrix_of(const Host& host, const std::vector<std::string>& arguments,
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
Result<RunScope> frozen_scope(ports::Files& files, const FrozenScopeRequest& request,
                              ports::Notices& notices);

/// `publish:` for each target asked for; `usage` for one that the plan does not have. Pure.
Result<std::vector<std::string>> publications(const plan::FrozenPlan& frozen,
                                              const std::vector<std::string>& targets);

}  // namespace pinwheel::prepare
