#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "host/steps/build_site.h"
#include "host/steps/step_context.h"
#include "plan/action.h"

namespace pinwheel::host {

/// A built wheel after `build.repair`.
struct RepairedBuild {
  std::filesystem::path wheel;
  std::string record = {};  ///< JSON for the wheel's record; empty: nothing was put in
};

/// Repairs a built wheel as `build.repair` says: by the libraries of the machine or image that
/// built it, by a command, or not at all. What is done goes to the attempt's log. A wheel that
/// needs no repair stays as it is. Errors are those of `plan_wheel_repair` and `repair_wheel`.
Result<RepairedBuild> repair_built(const StepContext& context, const plan::BuildWheel& action,
                                   const BuildSite& site, const std::filesystem::path& built);

}  // namespace pinwheel::host
