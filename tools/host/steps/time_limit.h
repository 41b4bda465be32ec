#pragma once
#include <string>
#include <string_view>

#include "host/steps/step_context.h"

namespace pinwheel::host {

/// The error of a command that ran past the step's limit, kind `timeout`. `key` is the matrix's key
/// for that limit, `build.timeout`.
Error past_time_limit(const StepContext& context, const std::string& what, std::string_view key);

}  // namespace pinwheel::host
