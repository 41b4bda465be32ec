#pragma once
#include <string>
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::report {

/// Findings in a text: one line for those that say the same of three files or more, without their
/// evidence, or a line for each.
enum class FindingLines { grouped, all };

/// The identity, requirements and contents of a wheel, for people: several lines, the file name
/// first, the findings last. `findings` come from `check` with the same expectations.
std::string inspect_text(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                         const std::vector<inspect::Finding>& findings,
                         FindingLines finding_lines = FindingLines::all);

}  // namespace pinwheel::report
