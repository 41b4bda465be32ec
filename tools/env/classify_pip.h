#pragma once
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// Why pip failed: an unreachable or busy index is `transient`; a requirement that nothing
/// satisfies is `config`; a hash mismatch and a rejected login are `environment`. The line of a
/// conflict ends with pip's reasons, five at most, from anywhere in the output. A package that
/// cannot be built is `step`, or `environment` for want of a compiler, with the line of
/// `pip_reason`.
Diagnosis classify_pip(const ports::Exit& exit, std::string_view output);

}  // namespace pinwheel::env
