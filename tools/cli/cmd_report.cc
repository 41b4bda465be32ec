#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/run_trace.h"
#include "base/text.h"
#include "base/url.h"
#include "cli/commands.h"
#include "cli/html_output.h"
#include "host/net/fetch_text.h"
#include "host/net/http.h"
#include "host/run/journal_file.h"
#include "host/system/named_output.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "report/report_json.h"
#include "report/trace.h"
#include "report/trace_text.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

struct ReportedRun {
  std::vector<plan::StepOutcome> outcomes;
  std::string plan = {};  ///< digests of its matrix and source; empty if it does not name them
};

ReportedRun run_of(report::RunReport run) {
  ReportedRun reported{std::move(run.report.outcomes)};
  if (run.origin) reported.plan = run.origin->plan.matrix_digest + run.origin->plan.source_digest;
  return reported;
}

std::vector<std::string> names_of(const std::vector<run::RecordedRun>& runs) {
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const run::RecordedRun& run : runs) names.push_back(run.name);
  return names;
}

/// The last run in the state directory.
Result<ReportedRun> last_run(const prepare::GlobalOptions& global) {
  TRY(std::vector<run::RecordedRun> runs, host::read_recorded_runs(global.state_dir));
  if (!runs.empty()) return ReportedRun{std::move(runs.back().outcomes)};
  return fail(ErrorKind::usage,
              fmt::format("no run in {} executed a step", quoted(global.state_dir)),
              "name the reports or journals of jobs: `pinwheel report report.json`");
}

/// The run of that name in the state directory.
Result<ReportedRun> named_run(const prepare::GlobalOptions& global, const std::string& name) {
  TRY(std::vector<run::RecordedRun> runs, host::read_recorded_runs(global.state_dir));
  for (run::RecordedRun& run : runs) {
    if (run.name == name) return ReportedRun{std::move(run.outcomes)};
  }
  return fail(ErrorKind::usage,
              fmt::format("{} is neither a file nor a run in {} that executed a step", quoted(name),
                          quoted(global.state_dir)),
              suggest(name, names_of(runs)));
}

/// A report in any text that contains one, or the last run of a journal.
Result<ReportedRun> run_in_file(const prepare::Host& host, const std::string& file) {
  TRY(const std::string text, host.files.read(file, limits::kJournal));
  if (text.starts_with("{\"journal\"")) {
    TRY(std::vector<run::RecordedRun> runs, host::read_recorded_runs(file));
    if (runs.empty()) return ReportedRun();
    return ReportedRun{std::move(runs.back().outcomes)};
  }
  TRY(report::RunReport run, report::find_report(text, file));
  return run_of(std::move(run));
}

Result<ReportedRun> run_at_address(const prepare::Host& host, const std::string& address,
                                   Streams& streams) {
  const std::shared_ptr<ports::Http> http =
      host.http(prepare::http_options(host.variables), streams.log(), {});
  TRY(const std::string text, host::fetch_text(*http, address));
  TRY(report::RunReport run, report::find_report(text, address));
  return run_of(std::move(run));
}

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
    const bool file = host.files.resolved_type(run) == ports::FileType::regular;
    TRY(ReportedRun found, is_address(run) ? run_at_address(host, run, streams)
                           : file          ? run_in_file(host, run)
                                           : named_run(global, run));
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
  TRY_DONE(check_html(options.html));
  TRY(const std::vector<plan::StepOutcome> outcomes,
      reported_outcomes(host, global, options.runs, streams));
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
