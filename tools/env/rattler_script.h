#pragma once
#include <string_view>

namespace pinwheel::env {

/// The text of env/rattler.py, embedded by the build.
std::string_view rattler_script();

}  // namespace pinwheel::env
