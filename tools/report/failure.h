#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/outcome.h"

namespace pinwheel::report {

/// What goes with a failed step beyond its outcome.
struct FailureFacts {
  std::vector<std::string> log_tail = {};
  std::string again = {};  ///< command line that runs exactly this step again; empty: none
};

/// What a person sees of a failed step, each line indented by two blanks: the error with its
/// causes, the end of the log behind bars (so that no line of it is taken for a command by a
/// continuous-integration service), the log's path, the line to paste, one hint. Ends in a newline.
std::string failure_block(const plan::StepOutcome& outcome, const FailureFacts& facts);

}  // namespace pinwheel::report
