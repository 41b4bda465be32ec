#pragma once
#include <string>

#include "base/error.h"

namespace pinwheel::matrix {

/// An error of kind `config` at a place in a matrix file.
Error config_error(std::string message, Location at, std::string hint = {});

}  // namespace pinwheel::matrix
