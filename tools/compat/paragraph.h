#pragma once
#include <string>

#include "compat/assessment.h"

namespace pinwheel::compat {

/// The verdict in one paragraph: the claims of the metadata, the findings, and the pin to write.
std::string paragraph(const Assessment& assessment);

}  // namespace pinwheel::compat
