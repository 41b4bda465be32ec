#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "plan/outcome.h"
#include "report/github_command.h"

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

/// The number of log lines that distinguish one failure from another.
inline constexpr size_t kDistinctiveLines = 5;

/// The common part of failures with the same cause: the cause as far as the error states it, else
/// the error and the end of the log; without the names of the step and of its Python, and without
/// times.
std::string common_cause(const plan::StepOutcome& outcome, const FailureFacts& facts);

/// The failures of a run that were already printed.
class PrintedFailures {
 public:
  /// The block of a failure; or one line, "same error as `build:a`", with its log, if an earlier
  /// step failed for the same cause (`common_cause`).
  std::string text_of(const plan::StepOutcome& outcome, const FailureFacts& facts);

 private:
  std::map<std::string, std::string> first_;  ///< the cause -> the step
};

/// The cause of the failure of one or more steps of a run.
struct FailureCause {
  std::vector<std::string> steps;  ///< in plan order, at least one
  std::string text;  ///< lines for people: the error, the other steps, commands to run
  std::optional<Location> at = {};
};

/// "build:a", "build:a and build:b", "build:a and 3 more".
std::string steps_line(const std::vector<std::string>& steps);

/// The text as Markdown on one line, also for a table cell.
std::string markdown_text(std::string text);

/// The number of annotations of one level to print. GitHub drops all above ten; if there are more,
/// the last one states their number.
size_t annotations_shown(size_t count);

/// The failures of a run by cause, in plan order. `facts` is called once for each failed step.
std::vector<FailureCause> failure_causes(
    const plan::Report& report, const std::function<FailureFacts(const plan::StepOutcome&)>& facts);

/// An annotation for each cause. If there are more than GitHub shows (ten), the last one states
/// their number.
std::vector<Annotation> annotations_of(const std::vector<FailureCause>& causes);

/// The causes as Markdown for a step summary, each below its steps; empty without causes.
std::string causes_markdown(const std::vector<FailureCause>& causes);

/// The error that ended a command, as Markdown for a step summary.
std::string error_markdown(const Error& error);

}  // namespace pinwheel::report
