#pragma once
#include <string_view>

#include "host/classify.h"

namespace pinwheel::host {

/// What a failed pip meant: an unreachable or busy index is `transient`; a requirement that nothing
/// satisfies is `config`; a hash that differs and a refused login are `environment`.
Diagnosis classify_pip(const ports::Exit& exit, std::string_view output);

}  // namespace pinwheel::host
