#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/matrix.h"

namespace pinwheel::matrix {

/// "supported", "experimental", "unmaintained", "unsupported".
std::string_view to_string(Status status);
std::optional<Status> parse_status(std::string_view name);
/// Every name, in the order of the enum.
std::vector<std::string> status_names();

}  // namespace pinwheel::matrix
