#pragma once
#include <string>

#include "base/error.h"

namespace pinwheel::matrix {

/// What is wrong with a matrix file, and where.
Error config_error(std::string message, Location at, std::string hint = {});

}  // namespace pinwheel::matrix
