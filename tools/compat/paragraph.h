#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::compat {

/// The verdict in one paragraph: what the metadata claims, what was found, and the pin to write.
std::string paragraph(const Assessment& assessment);

}  // namespace pinwheel::compat
