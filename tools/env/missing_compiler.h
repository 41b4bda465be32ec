#pragma once
#include <optional>
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// The advice for a build without a CUDA toolkit: a build whose compute is not CUDA does not see
/// one, not even the machine's nvcc.
inline constexpr std::string_view kCudaToolkit =
    "name CUDA in the matrix, `compute: [cuda/13.0]`; its toolkit is the one of the nvcc on PATH, "
    "or `toolkit: pypi`; `pinwheel doctor` shows what is there";

/// Whether a build failed because there is no compiler, according to the output of setuptools,
/// CMake, meson, setuptools-rust or maturin: kind `environment`, the message names the program, the
/// hint Debian's package. nullopt for any other output.
std::optional<Diagnosis> missing_compiler(std::string_view output);

}  // namespace pinwheel::env
