#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/build_site.h"
#include "plan/action.h"

namespace pinwheel::host {

/// `checks.after` of a class on one finished wheel: the rules of `inspect` with what the plan
/// expects, and `operators`, which installs the wheel into an overlay and asks torch. Kind `check`
/// with every finding as a cause; nothing only prints.
Done check_after(const StepContext& context, const plan::BuildWheel& action, const BuildSite& site,
                 const wheel::Naming& naming, const std::filesystem::path& finished);

/// The classes' own expectation of a backend: the wheel that it made has the version that was
/// handed to it.
Done check_backend_version(const std::filesystem::path& built, const std::string& version);

}  // namespace pinwheel::host
