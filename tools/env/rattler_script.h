#pragma once
#include <string_view>

namespace pinwheel::env {

/// The text of env/rattler.py, which the build puts into the program.
std::string_view rattler_script();

}  // namespace pinwheel::env
