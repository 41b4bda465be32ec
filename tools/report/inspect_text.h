#pragma once
#include <string>
#include <vector>

#include "inspect/expectations.h"
#include "inspect/finding.h"
#include "inspect/wheel_facts.h"

namespace pinwheel::report {

/// Entries of a text that are equal but for their files or architectures: grouped, there is one
/// line for device code of the same form in several files, and for findings that say the same of
/// three files or more (without their evidence); otherwise a line for each.
enum class EqualEntries { grouped, all };

/// The identity, requirements and contents of a wheel, for people: several lines, the file name
/// first, the findings last. `findings` come from `check` with the same expectations.
std::string inspect_text(const inspect::WheelFacts& facts, const inspect::Expectations& expected,
                         const std::vector<inspect::Finding>& findings,
                         EqualEntries equal_entries = EqualEntries::all);

}  // namespace pinwheel::report
