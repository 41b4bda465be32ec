#pragma once
#include <string>
#include <vector>

namespace pinwheel::inspect {

/// The first names joined by commas, and the number of the rest: "a, b and 3 more".
std::string first_names(const std::vector<std::string>& names, size_t shown = 5);

}  // namespace pinwheel::inspect
