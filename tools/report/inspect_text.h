#pragma once
#include <string>
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::report {

/// The identity, requirements and contents of a wheel, for people: several lines, the file name
/// first, the findings last. `findings` come from `check` with the same expectations.
std::string inspect_text(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                         const std::vector<inspect::Finding>& findings);

}  // namespace pinwheel::report
