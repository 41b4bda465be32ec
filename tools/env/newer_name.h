#pragma once
#include <string>

namespace pinwheel::env {

/// Sorts "3.11.10" above "3.11.9": numerically if both have a number.
bool is_newer_name(const std::string& left, const std::string& right);

}  // namespace pinwheel::env
