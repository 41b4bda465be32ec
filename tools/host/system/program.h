#pragma once
#include <map>
#include <string>

#include "base/result.h"

namespace pinwheel::host {

/// The file that `name` means in an environment: itself when it holds a slash, else the first
/// executable regular file of that name on `environment`'s PATH. `environment` error when there is
/// none.
Result<std::string> find_program(const std::string& name,
                                 const std::map<std::string, std::string>& environment);

}  // namespace pinwheel::host
