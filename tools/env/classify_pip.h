#pragma once
#include <string_view>

#include "env/classify.h"

namespace pinwheel::env {

/// What a failed pip meant: an unreachable or busy index is `transient`; a requirement that nothing
/// satisfies is `config`; a hash that differs and a refused login are `environment`. The line of a
/// conflict ends with pip's reasons, five at most, wherever in the output they stand.
Diagnosis classify_pip(const ports::Exit& exit, std::string_view output);

}  // namespace pinwheel::env
