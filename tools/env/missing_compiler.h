#pragma once
#include <optional>
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// What to do where a build has no CUDA toolkit: one whose compute is not CUDA sees none, not even
/// the machine's nvcc.
inline constexpr std::string_view kCudaToolkit =
    "name CUDA in the matrix, `compute: [cuda/13.0]`; its toolkit is the one of the nvcc on PATH, "
    "or `toolkit: pypi`; `pinwheel doctor` shows what is there";

/// Whether a build failed because there is no compiler, from what setuptools, CMake, meson,
/// setuptools-rust or maturin print: kind `environment`, the message names the program, the hint
/// Debian's package. nullopt if the output says nothing of the kind.
std::optional<Diagnosis> missing_compiler(std::string_view output);

}  // namespace pinwheel::env
