#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "plan/make_plan.h"
#include "plan/outline.h"
#include "ports/notices.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/options.h"
#include "prepare/package_source.h"
#include "prepare/prepared_run.h"

namespace pinwheel::prepare {

/// A variant, and how to make its environments.
struct OneVariantRequest {
  const std::string& command;                 ///< "env shell", for errors
  const std::vector<std::string>& arguments;  ///< an id, and optionally a matrix file
  const LevelOptions& levels;
  plan::Stage stage = plan::Stage::build;
  PackageSource packages = FromLocks{};
};

/// Loads and prepares it: its environment, its build, and with `Stage::test` its test. It is the
/// only variant of the run's outline. `usage` with the nearest name for an id that is not in the
/// matrix.
Result<PreparedRun> prepare_variant(const Host& host, const GlobalOptions& global,
                                    const OneVariantRequest& request, ports::Notices& notices);

}  // namespace pinwheel::prepare
