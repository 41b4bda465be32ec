#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "host/steps/build_site.h"
#include "wheel/naming.h"

namespace pinwheel::host {

/// A finished wheel under one of its names.
struct CheckedWheel {
  const std::filesystem::path& path;
  const wheel::Naming& naming;
};

/// Checks that a wheel registers the operators ("pinwheel::jagged_to_padded_dense"): it is
/// installed on top of the environment of the variant's tests and imported, and torch is queried.
/// If that environment's torch is of a different compute type, so that the wheel's libraries cannot
/// be loaded, the libraries' bytes must contain their names instead, and the log says so. The same
/// applies to a wheel that cannot be imported without its siblings (`Naming::pins`), which are not
/// installed. Kind `check` lists the missing operators.
Done check_operators(const StepContext& context, const plan::BuildWheel& action,
                     const BuildSite& site, const CheckedWheel& checked,
                     const std::vector<std::string>& operators);

}  // namespace pinwheel::host
