#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::report {

/// The compatibility of a wheel, for people: the verdict first, then a line for each build of
/// torch, the missing symbols of the newest incomplete build, and the requirements on the system.
/// Control characters in names from the wheel are replaced.
std::string compat_text(const compat::Assessment& assessment, size_t width = 0);

}  // namespace pinwheel::report
