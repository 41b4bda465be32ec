#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "report/failure.h"
#include "report/github_command.h"
#include "report/report_json.h"

namespace pinwheel::report {

/// "no test was run: 2 of 2 were skipped (no GPU here)", with the reasons; nullopt for a failed
/// run, one without tests, and one with a test that was not skipped.
std::optional<std::string> untested(const plan::Report& report);

/// "7 steps in 3m05s: 3 done, 1 reused, 1 failed, 1 blocked, 1 skipped"; states without steps are
/// omitted. Adds a remark if no test was run.
std::string summary_line(const plan::Report& report);

/// A table of the steps (step, state, time, note), derived files, warnings, then the summary line.
std::string summary_table(const plan::Report& report, size_t width = 0);

/// The same as GitHub-flavored Markdown for $GITHUB_STEP_SUMMARY, below a heading with a remark if
/// no test was run, with the variants as a heat map and the timeline as a chart (summary_charts.h).
/// If a step failed, it contains the causes and a folded report of the failures,
/// so that `pinwheel reproduce` needs only this text.
std::string summary_markdown(const RunReport& run, const std::vector<FailureCause>& causes);

/// A warning about the results of one or more steps, such as a finding about a wheel.
struct StepWarning {
  std::vector<std::string> steps;  ///< in plan order, at least one
  std::string text;                ///< one line, from outside
};

/// The warnings of all steps, including reused ones; equal ones are merged, in plan order.
std::vector<StepWarning> step_warnings(const plan::Report& report);

/// "2 derived files, with the code of their sources:" and a line for each, the first ones; as
/// visible text, empty without any.
std::string derivations_text(const plan::Report& report);

/// "2 warnings:" and a line for each, as visible text; empty without any.
std::string warnings_text(const std::vector<StepWarning>& warnings);

/// An annotation for each warning. If there are more than GitHub shows (ten), the last one states
/// their number.
std::vector<Annotation> annotations_of(const std::vector<StepWarning>& warnings);

}  // namespace pinwheel::report
