#pragma once
#include <string>
#include <string_view>

#include "base/error.h"

namespace pinwheel::matrix {

/// An error of kind `config` at a place in a matrix file. The message stays on one line, whatever
/// keys and values it quotes.
Error config_error(std::string_view message, Location at, std::string hint = {});

}  // namespace pinwheel::matrix
