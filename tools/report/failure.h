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

/// Lines of a log that tell one failure from another.
inline constexpr size_t kTellingLines = 5;

/// Whether the error alone says what is to be mended: it has a place in a source or causes. The end
/// of the log says it of others, such as a test that ended with exit code 1.
bool says_the_cause(const Error& error);

/// What the failures of one cause have in common: the cause as far as the error says it, else the
/// error and the end of the log; without the names of the step and of its Python, and without
/// times.
std::string common_cause(const plan::StepOutcome& outcome, const FailureFacts& facts);

/// The failures of a run that were told.
class ToldFailures {
 public:
  /// The block of a failure, or one line, "same error as `build:a`", with its log: if an earlier
  /// step failed for the same cause (`common_cause`).
  std::string tell(const plan::StepOutcome& outcome, const FailureFacts& facts);

 private:
  std::map<std::string, std::string> first_;  ///< the cause -> the step
};

}  // namespace pinwheel::report
