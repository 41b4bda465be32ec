#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::report {

/// The builds of torch in a text: a line for neighbors with the same verdict, or one for each.
enum class TorchRows { grouped, all };

/// The compatibility of a wheel, for people: the verdict first, then lines for the builds of torch,
/// the missing symbols of the newest incomplete build, and the requirements on the system.
/// Control characters in names from the wheel are replaced.
std::string compat_text(const compat::Assessment& assessment, TorchRows torch_rows,
                        size_t width = 0);

}  // namespace pinwheel::report
