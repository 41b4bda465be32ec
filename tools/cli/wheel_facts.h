#pragma once
#include <string>

#include "base/result.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::cli {

/// What a wheel holds; an error says of which file it speaks.
Result<inspect::WheelFacts> wheel_facts_of(const std::string& file);

}  // namespace pinwheel::cli
