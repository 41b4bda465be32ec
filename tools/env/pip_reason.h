#pragma once
#include <string>
#include <string_view>

namespace pinwheel::env {

/// The line of pip's output that says why it failed, trimmed: in the output of a build backend the
/// compiler's first error, else the backend's last one; else pip's last line that is no hint or
/// note. Empty for output without text.
std::string pip_reason(std::string_view output);

}  // namespace pinwheel::env
