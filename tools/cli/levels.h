#pragma once
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "plan/make_plan.h"

namespace pinwheel::cli {

/// The plan options from the command line: the last stage, and the engine and Python source of
/// environments. `usage` for an invalid base image.
Result<plan::PlanOptions> plan_options(plan::Stage stage, const std::vector<std::string>& targets,
                                       const LevelOptions& levels);

}  // namespace pinwheel::cli
