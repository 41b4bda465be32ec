#pragma once
#include <string>
#include <vector>

#include "inspect/wheel_facts.h"

namespace pinwheel::inspect {

/// The Requires-Dist lines that name torch, as they stand; empty without metadata.
std::vector<std::string> torch_requirements(const WheelFacts& facts);

}  // namespace pinwheel::inspect
