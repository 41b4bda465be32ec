#pragma once
#include <string>

#include "plan/outcome.h"
#include "report/report_json.h"

namespace pinwheel::report {

/// "7 steps in 3m05s: 3 done, 1 reused, 1 failed, 1 blocked, 1 skipped"; states without steps are
/// left out.
std::string summary_line(const plan::Report& report);

/// A table of the steps (step, state, time, note), then the summary line.
std::string summary_table(const plan::Report& report);

/// The same as GitHub-flavoured Markdown under a heading, for $GITHUB_STEP_SUMMARY. Where a step
/// failed, the report of what failed follows (folded), so that `pinwheel reproduce` needs no more
/// than this text.
std::string summary_markdown(const RunReport& run);

}  // namespace pinwheel::report
