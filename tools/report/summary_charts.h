#pragma once
#include <string>

#include "analysis/run_trace.h"
#include "plan/outcome.h"

namespace pinwheel::report {

/// The variants of a run as a table in GitHub-flavored Markdown: the values of the first axis that
/// has several are the columns, those of the other such axes the rows. Each cell has a colored
/// square, the evidence or the state in words, and the time. Shows tests, or builds in a run
/// without tests. Empty for fewer than two variants, and if the table is too large for a summary.
std::string heat_map_markdown(const plan::Report& report);

/// The timeline of a run as a Gantt chart for Mermaid, which GitHub draws: failed attempts are red,
/// steps on the critical path are highlighted. Only the longest attempts, with a note about the
/// others, because GitHub limits the size of a chart. Empty for fewer than two attempts. Source:
/// mermaid.js.org/syntax/gantt.html.
std::string gantt_markdown(const analysis::RunTrace& trace);

}  // namespace pinwheel::report
