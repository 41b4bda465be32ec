#pragma once
#include <string>

#include "project/pyproject.h"

namespace pinwheel::project {

/// How a project of this backend makes an `abi3` wheel for Python 3.`minor` and newer; for a hint.
std::string limited_api_fix(Backend backend, int minor);

/// How a project of this backend makes a wheel for every Python (`py3-none`) though it has
/// libraries; for a hint.
std::string no_abi_fix(Backend backend);

}  // namespace pinwheel::project
