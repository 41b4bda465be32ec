#pragma once
#include <optional>
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// Whether a build failed because there is no compiler, from what setuptools, CMake, meson,
/// setuptools-rust or maturin print: kind `environment`, the message names the program, the hint
/// Debian's package. nullopt if the output says nothing of the kind.
std::optional<Diagnosis> missing_compiler(std::string_view output);

}  // namespace pinwheel::env
