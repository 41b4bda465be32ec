#pragma once
#include <vector>

#include "base/result.h"
#include "plan/make_plan.h"
#include "prepare/options.h"

namespace pinwheel::prepare {

/// The plan options from the command line: the last stage, and the engine and Python source of
/// environments. `usage` for an invalid base image.
Result<plan::PlanOptions> plan_options(plan::Stage stage, const std::vector<std::string>& targets,
                                       const LevelOptions& levels);

}  // namespace pinwheel::prepare
