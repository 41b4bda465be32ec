#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/build_site.h"

namespace pinwheel::host {

/// Checks that a wheel registers the operators ("pinwheel::jagged_to_padded_dense"): it is
/// installed on top of the environment of the variant's tests and imported, and torch is queried.
/// If that environment's torch is of a different compute type, so that the wheel's libraries cannot
/// be loaded, the libraries' bytes must contain their names instead, and the log says so. Kind
/// `check` lists the missing operators.
Done check_operators(const StepContext& context, const plan::BuildWheel& action,
                     const BuildSite& site, const std::filesystem::path& wheel,
                     const std::vector<std::string>& operators);

}  // namespace pinwheel::host
