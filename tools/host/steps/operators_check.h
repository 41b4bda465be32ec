#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/build_site.h"

namespace pinwheel::host {

/// Whether a wheel registers the operators ("pinwheel::jagged_to_padded_dense"): it is installed
/// into an overlay of the build's environment, imported, and torch is asked. Where the
/// environment's torch is of another compute, so that the wheel's libraries cannot load, their
/// names must stand in the libraries' bytes instead, and the log says that this is what was looked
/// at. Kind `check` names what is missing.
Done check_operators(const StepContext& context, const BuildSite& site,
                     const std::filesystem::path& wheel, const std::string& compute,
                     const std::vector<std::string>& operators);

}  // namespace pinwheel::host
