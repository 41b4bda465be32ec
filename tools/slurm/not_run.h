#pragma once
#include <string>
#include <string_view>

#include "base/error.h"

namespace pinwheel::slurm {

/// The error of a step whose job ended before it ran the step: pinwheel exited with this code, and
/// `output` is the end of what the job wrote to its log.
Error not_run(const std::string& step, int code, std::string_view output, const std::string& log);

}  // namespace pinwheel::slurm
