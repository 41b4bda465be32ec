#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "analysis/run_trace.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/compare_reports.h"
#include "cli/html_output.h"
#include "cli/reported_run.h"
#include "host/system/named_output.h"
#include "prepare/host.h"
#include "report/trace.h"
#include "report/trace_text.h"

namespace pinwheel::cli {
namespace {

void warn_of_other_plan(const std::string& first, const std::string& other, Streams& streams) {
  Error warning;
  warning.kind = ErrorKind::config;
  warning.message = fmt::format("{} and {} are runs of different matrices or sources",
                                quoted(first), quoted(other));
  warning.hint = "name runs of one plan: steps of different plans may have the same name";
  streams.warn(warning);
}

Result<std::vector<plan::StepOutcome>> reported_outcomes(const prepare::Host& host,
                                                         const prepare::GlobalOptions& global,
                                                         const std::vector<std::string>& runs,
                                                         Streams& streams) {
  if (runs.empty()) {
    TRY(ReportedRun last, last_run(global));
    return std::move(last.outcomes);
  }
  std::vector<plan::StepOutcome> all;
  std::string plan;
  std::string first;
  for (const std::string& run : runs) {
    TRY(ReportedRun found, read_run(host, global, run, streams));
    std::move(found.outcomes.begin(), found.outcomes.end(), std::back_inserter(all));
    if (found.plan.empty() || found.plan == plan) continue;
    if (plan.empty()) {
      plan = found.plan;
      first = run;
    } else {
      warn_of_other_plan(first, run, streams);
    }
  }
  return all;
}

Done write_trace(const prepare::Host& host, const std::string& path,
                 const analysis::RunTrace& trace, Streams& streams) {
  const std::string text = report::chrome_trace(trace);
  if (path == kStdout) {
    streams.json(text);
    return {};
  }
  TRY_DONE(host::write_named_output(host.files, path, text));
  streams.note(fmt::format("wrote the trace of {} on {} to {}\n",
                           plural(trace.slices.size(), "attempt"),
                           plural(trace.machines.size(), "machine"), quoted(path)));
  return {};
}

}  // namespace

Result<int> cmd_report(const prepare::Host& host, const prepare::GlobalOptions& global,
                       const ReportOptions& options, Streams& streams) {
  if (options.json && options.trace == kStdout) {
    return fail(ErrorKind::usage, "`--trace -` and `--json` both print to stdout",
                "write the trace to a file, or leave out one of them");
  }
  const bool shows = options.all || options.json || !options.trace.empty() || !options.html.empty();
  if (shows && !options.update_history.empty()) {
    return fail(ErrorKind::usage, "`--update-history` shows nothing",
                "use `--all`, `--json`, `--trace` and `--html` in a command of their own");
  }
  TRY_DONE(check_html(options.html));
  TRY(const bool comparison, is_run_comparison(options));
  if (comparison) return compare_reports(host, global, options, streams);
  TRY(const std::vector<plan::StepOutcome> outcomes,
      reported_outcomes(host, global, options.runs, streams));
  if (!options.update_history.empty()) {
    TRY_DONE(update_history_file(host, options.update_history, outcomes, streams));
    return 0;
  }
  TRY_DONE(analysis::check_traceable(outcomes));
  const analysis::RunTrace trace = analysis::merge_traces(outcomes);
  if (trace.unmeasured > 0) {
    streams.note(fmt::format("no times for {}: recorded by an older pinwheel\n",
                             plural(trace.unmeasured, "step")));
  }
  if (trace.slices.empty() && trace.unmeasured == 0) {
    streams.note("no step was executed\n");
  }
  if (!options.trace.empty()) TRY_DONE(write_trace(host, options.trace, trace, streams));
  if (!options.html.empty()) {
    TRY_DONE(write_run_html(host, global, options.html, outcomes, trace, streams));
  }
  if (options.json) {
    streams.json(report::trace_json(trace));
  } else if (options.trace.empty() && options.html.empty()) {
    streams.data(options.all ? report::trace_table(trace, streams.data_columns())
                             : report::trace_brief(trace, streams.data_columns()));
  }
  return 0;
}

}  // namespace pinwheel::cli
