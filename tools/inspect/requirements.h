#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// The Requires-Dist lines for torch, verbatim; empty without metadata.
std::vector<std::string> torch_requirements(const WheelFacts& facts);

}  // namespace pinwheel::inspect
