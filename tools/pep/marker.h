#pragma once
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace pinwheel::pep {

/// The variables of an environment, by their names in PEP 508: "python_version" -> "3.12".
using MarkerEnvironment = std::map<std::string, std::string>;

/// Whether an environment marker (PEP 508, after the `;`) holds. Versions are compared as versions
/// where both sides allow it, `extra` by normalized name, the rest as text. A variable missing from
/// the environment is empty. `config` when the marker is malformed, names an unknown variable, or
/// orders text by `~=` or `===`.
Result<bool> evaluate_marker(std::string_view marker, const MarkerEnvironment& environment);

}  // namespace pinwheel::pep
