#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/make_plan.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/package_source.h"
#include "prepare/read_scope.h"

namespace pinwheel::prepare {

/// The run that a command line requests.
struct RequestedRun {
  RunScope scope;
  PackageSource source;                 ///< of its packages
  std::vector<std::string> steps = {};  ///< the requested steps; empty: all
  std::string plan_digest = {};         ///< sha256 of its frozen plan's file; empty: no frozen plan
};

/// The command line of `build`, `test` and `release`.
struct RunCommand {
  const GlobalOptions& global;
  const RunOptions& options;
  const MatrixChoice& choice;
  plan::Stage stage = plan::Stage::test;
  const std::optional<PlanFile>& frozen;
};

/// The run of a frozen plan, else that of this checkout, after its checks have passed: the
/// project's version and ABI, the tag on HEAD, the commit of the plan. A release to a channel that
/// publishes nowhere ends with the tests. With `--step`, the run is narrowed to those steps and
/// their needs. Errors: those of `read_scope`, of the checks and of `narrowed_to_steps`; `usage`
/// for a release without a target.
Result<RequestedRun> read_run(const Host& host, const RunCommand& command, ports::Notices& notices);

/// `publish:` for each requested target; `usage` for one that the plan does not have. Pure.
Result<std::vector<std::string>> publications(const plan::FrozenPlan& frozen,
                                              const std::vector<std::string>& targets);

}  // namespace pinwheel::prepare
