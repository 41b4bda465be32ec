#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/build_site.h"
#include "inspect/finding.h"
#include "plan/action.h"

namespace pinwheel::host {

/// Runs the checks of a class on a finished wheel: the rules of `inspect` with the plan's
/// expectations, and `operators`, which installs the wheel in the environment of tests and queries
/// torch. The attempt's log contains every finding. Returns the findings that do not stop the
/// build; kind `check`, with every finding as a cause, if one does. `added` comes from
/// `added_requirement`.
Result<std::vector<inspect::Finding>> check_after(
    const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
    const wheel::Naming& naming, const std::filesystem::path& finished, const std::string& added);

}  // namespace pinwheel::host
