#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/outcome.h"

namespace pinwheel::report {

/// Facts about a failed step beyond its outcome.
struct FailureFacts {
  std::vector<std::string> log_tail = {};
  std::string again = {};  ///< command line that runs exactly this step again; empty: none
};

/// The report of a failed step for people, each line indented by two blanks: the error with its
/// causes, the end of the log prefixed with bars (so that a continuous-integration service does not
/// interpret a line as a command), the log's path, the command to rerun the step, one hint. Ends in
/// a newline.
std::string failure_block(const plan::StepOutcome& outcome, const FailureFacts& facts);

}  // namespace pinwheel::report
