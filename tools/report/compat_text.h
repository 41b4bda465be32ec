#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::report {

/// Where a wheel runs, for people: the verdict first, then a line for each build of torch, what is
/// missing on the newest that lacks something, and what it asks of the system. Names from the wheel
/// are made harmless for terminals.
std::string compat_text(const compat::Assessment& assessment);

}  // namespace pinwheel::report
