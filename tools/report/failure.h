#pragma once
#include <map>
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
/// causes, the end of the log prefixed with bars, the log's path, the command to rerun the step,
/// one hint. All of it is visible text without commands for a GitHub runner (`base/visible_text`).
/// Ends in a newline.
std::string failure_block(const plan::StepOutcome& outcome, const FailureFacts& facts);

/// The failures of a run that were told.
class ToldFailures {
 public:
  /// The block of a failure, or one line, "same error as `build:a`", with its log: if an earlier
  /// step had the same error and its log ended alike, apart from the names of the steps.
  std::string tell(const plan::StepOutcome& outcome, const FailureFacts& facts);

 private:
  std::map<std::string, std::string> first_;  ///< the error and end of a log -> the step
};

}  // namespace pinwheel::report
