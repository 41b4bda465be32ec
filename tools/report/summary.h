#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plan/outcome.h"
#include "report/failure_cause.h"
#include "report/report_json.h"

namespace pinwheel::report {

/// "no test was run: 2 of 2 were skipped (no GPU here)", with the reasons; nullopt for a run that
/// failed, without tests, or with one that was not skipped: the others succeed and show nothing.
std::optional<std::string> untested(const plan::Report& report);

/// "7 steps in 3m05s: 3 done, 1 reused, 1 failed, 1 blocked, 1 skipped"; states without steps are
/// omitted. It says if no test was run.
std::string summary_line(const plan::Report& report);

/// A table of the steps (step, state, time, note), their warnings, then the summary line.
std::string summary_table(const plan::Report& report, size_t width = 0);

/// The same as GitHub-flavored Markdown under a heading, which says if no test was run, for
/// $GITHUB_STEP_SUMMARY. If a step failed, it has the causes and a folded report of the failures,
/// so that `pinwheel reproduce` needs only this text.
std::string summary_markdown(const RunReport& run, const std::vector<FailureCause>& causes);

}  // namespace pinwheel::report
