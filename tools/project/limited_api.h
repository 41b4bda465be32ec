#pragma once
#include <string>

#include "project/pyproject.h"

namespace pinwheel::project {

/// A hint on how a project of this backend makes an `abi3` wheel for Python 3.`minor` and newer.
std::string limited_api_fix(Backend backend, int minor);

/// A hint on how a project of this backend makes a wheel with libraries for every Python
/// (`py3-none`).
std::string no_abi_fix(Backend backend);

}  // namespace pinwheel::project
