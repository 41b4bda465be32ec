#pragma once
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "plan/make_plan.h"

namespace pinwheel::cli {

/// How far a plan goes and what its environments are made of, by the command line. `usage` for a
/// base image that is no image.
Result<plan::PlanOptions> plan_options(plan::Stage stage, const std::vector<std::string>& targets,
                                       const LevelOptions& levels);

}  // namespace pinwheel::cli
