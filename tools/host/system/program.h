#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace pinwheel::host {

/// Resolves a program name: `name` itself if it contains a slash, else the first executable regular
/// file of that name on the PATH of `environment`. Kind `environment` if there is none.
Result<std::string> find_program(const std::string& name,
                                 const std::map<std::string, std::string>& environment);

}  // namespace pinwheel::host
