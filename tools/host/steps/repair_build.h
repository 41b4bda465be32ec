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
  std::string record = {};  ///< JSON for the wheel's record; empty: nothing was added
};

/// Runs `build.repair` of a class if it is a command, for the wheel of that name in `kDistName`;
/// the repaired wheel is in `kRepairedName`.
Done run_repair_command(const StepContext& context, const plan::BuildWheel& action,
                        const BuildSite& site, const std::string& wheel);

/// The directories that are searched for libraries of a build before those of the system, as the
/// build sees them, joined by `:`.
std::string library_path(const StepContext& context, const plan::BuildWheel& action,
                         const BuildSite& site);

/// Repairs a built wheel according to `build.repair`: with the libraries of the machine or image
/// that built it, with a command, or not at all. The actions are written to the attempt's log. A
/// wheel that needs no repair does not change. Errors are those of `plan_wheel_repair` and
/// `repair_wheel`.
Result<RepairedBuild> repair_built(const StepContext& context, const plan::BuildWheel& action,
                                   const BuildSite& site, const std::filesystem::path& built);

}  // namespace pinwheel::host
