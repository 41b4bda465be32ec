#include "cli/reported_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "base/url.h"
#include "host/net/fetch_text.h"
#include "host/net/http.h"
#include "host/run/journal_file.h"
#include "host/store/tree_inventory.h"
#include "host/system/digest_file.h"
#include "host/system/named_output.h"
#include "plan/evidence_gate.h"
#include "prepare/http_options.h"
#include "report/report_json.h"
#include "store/attempt.h"
#include "store/entry.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

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

/// The runs of the journal that contains this one, up to it; none if it is not from a journal.
Result<std::vector<run::RecordedRun>> runs_until(const prepare::Host& host,
                                                 const prepare::GlobalOptions& global,
                                                 const std::string& name) {
  if (is_address(name)) return std::vector<run::RecordedRun>();
  switch (host.files.resolved_type(name)) {
    case ports::FileType::regular: {
      TRY(const std::string text, host.files.read(name, limits::kJournal));
      if (!text.starts_with("{\"journal\"")) return std::vector<run::RecordedRun>();
      return run::read_runs(text);
    }
    case ports::FileType::missing:
      break;
    default:
      return std::vector<run::RecordedRun>();
  }
  TRY(std::vector<run::RecordedRun> runs, host::read_recorded_runs(global.state_dir));
  const auto found = std::ranges::find(runs, name, &run::RecordedRun::name);
  if (found == runs.end()) return std::vector<run::RecordedRun>();
  runs.erase(found + 1, runs.end());
  return runs;
}

plan::StepOutcome outcome_of(const store::Entry& entry) {
  plan::StepOutcome out;
  out.id = entry.step;
  out.key = entry.key;
  out.state =
      entry.ending == store::Ending::done ? plan::StepState::done : plan::StepState::skipped;
  out.reason = entry.reason;
  out.attempts = entry.attempts;
  out.elapsed = std::chrono::milliseconds(entry.elapsed_ms);
  out.evidence = plan::parse_evidence(entry.evidence).value_or(plan::Evidence::none);
  out.warnings = entry.warnings;
  out.outputs.reserve(entry.outputs.size());
  for (const store::NamedBlob& output : entry.outputs) {
    out.outputs.push_back({output.name, output.blob.sha256, output.blob.size});
  }
  return out;
}

constexpr std::string_view kResultArtifact = "result-";
/// The journal of a job that failed or was stopped, in a workflow of `ci generate`.
constexpr std::string_view kFailedArtifact = "failed-";

/// The artifacts in a directory with such names, the latest attempt of each step last.
std::vector<std::string> artifacts_in(const std::string& directory, std::string_view prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (at->is_directory(error) && name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::vector<std::string> ordered = store::latest_first(std::move(names));
  std::reverse(ordered.begin(), ordered.end());
  return ordered;
}

/// The attempt of the workflow and the outcome of a step in it.
struct FailedAttempt {
  uint64_t attempt = 0;
  plan::StepOutcome outcome;
};

/// The outcome of an attempt that has none, because its process was killed.
plan::StepOutcome killed(const run::Started& started) {
  plan::StepOutcome outcome;
  outcome.id = started.id;
  outcome.key = started.key;
  outcome.state = plan::StepState::interrupted;
  outcome.attempts = started.attempt;
  outcome.log = started.log;
  outcome.error = Error{ErrorKind::interrupted, "its run was killed"};
  return outcome;
}

/// Adds what an artifact says about its own step: that it failed or was stopped, or, if it did not,
/// that its evidence is too little. The code of a step could write any journal, so one that cannot
/// be read counts as none.
void add_failure(const prepare::Host& host, const std::string& directory,
                 const std::string& artifact, std::map<std::string, FailedAttempt>& out) {
  const fs::path place = fs::path(directory) / artifact;
  const std::string as_result =
      std::string(kResultArtifact) + artifact.substr(kFailedArtifact.size());
  const uint64_t attempt = store::attempt_of(artifact);
  const Result<run::History> history = host::read_whole_journal(place);
  if (!history) return;
  const Result<std::string> gate = host.files.read(place / plan::kGateFile);
  const std::map<std::string, std::string> weak =
      gate ? plan::parse_gate(*gate) : std::map<std::string, std::string>();
  for (const auto& [step, finished] : history->latest) {
    if (!store::is_artifact_of(as_result, step)) continue;
    plan::StepOutcome outcome = finished.outcome;
    const auto reason = weak.find(step);
    const bool failed = outcome.state == plan::StepState::failed;
    if (reason != weak.end() && !failed) outcome.error = Error{ErrorKind::check, reason->second};
    out.insert_or_assign(step, FailedAttempt{attempt, std::move(outcome)});
  }
  for (const auto& [step, started] : history->open) {
    if (!store::is_artifact_of(as_result, step)) continue;
    out.insert_or_assign(step, FailedAttempt{attempt, killed(started)});
  }
}

ReportedRun run_in_directory(const prepare::Host& host, const std::string& directory) {
  ReportedRun run;
  run.files = directory;
  std::map<std::string, store::Entry> by_step;
  std::map<std::string, uint64_t> attempts;
  const auto add = [&by_step](store::Entry entry) {
    // A checkpoint is no result.
    if (entry.ending == store::Ending::unfinished) return;
    const std::string step = entry.step;
    by_step.insert_or_assign(step, std::move(entry));
  };
  for (host::TreeEntry& found : host::read_entries(directory)) add(std::move(found.entry));
  for (const std::string& artifact : artifacts_in(directory, kResultArtifact)) {
    for (host::TreeEntry& found : host::read_entries(fs::path(directory) / artifact)) {
      // The code of a step could write any entry into its artifact.
      if (!store::is_artifact_of(artifact, found.entry.step)) continue;
      attempts[found.entry.step] = store::attempt_of(artifact);
      add(std::move(found.entry));
    }
  }
  std::map<std::string, FailedAttempt> failed;
  for (const std::string& artifact : artifacts_in(directory, kFailedArtifact)) {
    add_failure(host, directory, artifact, failed);
  }
  std::map<std::string, plan::StepOutcome> outcomes;
  for (const auto& [step, entry] : by_step) outcomes.emplace(step, outcome_of(entry));
  for (auto& [step, failure] : failed) {
    // A later attempt of the workflow may have repeated the step.
    const bool latest = !outcomes.contains(step) || attempts[step] < failure.attempt;
    if (latest) outcomes.insert_or_assign(step, std::move(failure.outcome));
  }
  run.outcomes.reserve(outcomes.size());
  for (auto& [step, outcome] : outcomes) run.outcomes.push_back(std::move(outcome));
  return run;
}

}  // namespace

Result<ReportedRun> last_run(const prepare::GlobalOptions& global) {
  TRY(std::vector<run::RecordedRun> runs, host::read_recorded_runs(global.state_dir));
  if (!runs.empty()) return ReportedRun{std::move(runs.back().outcomes)};
  return fail(ErrorKind::usage,
              fmt::format("no run in {} executed a step", quoted(global.state_dir)),
              "name the reports or journals of jobs: `pinwheel report report.json`");
}

Result<ReportedRun> read_run(const prepare::Host& host, const prepare::GlobalOptions& global,
                             const std::string& run, Streams& streams) {
  if (is_address(run)) return run_at_address(host, run, streams);
  const bool file = host.files.resolved_type(run) == ports::FileType::regular;
  if (file) return run_in_file(host, run);
  if (host.files.resolved_type(run) == ports::FileType::directory) {
    return run_in_directory(host, run);
  }
  return named_run(global, run);
}

Result<analysis::EarlierDurations> earlier_durations(const prepare::Host& host,
                                                     const prepare::GlobalOptions& global,
                                                     const std::string& before,
                                                     const std::string& after) {
  // Runs between the two may already have what slows the later one down.
  TRY(std::vector<run::RecordedRun> runs, runs_until(host, global, before));
  if (runs.empty()) {
    TRY(runs, runs_until(host, global, after));
    if (!runs.empty()) runs.pop_back();
  }
  analysis::EarlierDurations out;
  for (const run::RecordedRun& run : runs) {
    for (const plan::StepOutcome& outcome : run.outcomes) {
      if (outcome.state == plan::StepState::done) out[outcome.id].push_back(outcome.elapsed);
    }
  }
  return out;
}

analysis::DurationHistory read_history_file(const prepare::Host& host, const std::string& file,
                                            Streams& streams) {
  if (host.files.resolved_type(file) == ports::FileType::missing) return {};
  const Result<std::string> text = host.files.read(file, limits::kJournal);
  const Result<analysis::DurationHistory> history =
      text ? analysis::parse_durations(*text, file)
           : Result<analysis::DurationHistory>(tl::unexpected(text.error()));
  if (history) return *history;
  streams.warn(history.error());
  return {};
}

Done update_history_file(const prepare::Host& host, const std::string& file,
                         const std::vector<plan::StepOutcome>& outcomes, Streams& streams) {
  analysis::DurationHistory history = read_history_file(host, file, streams);
  analysis::add_run(outcomes, history);
  TRY_DONE(host::write_named_output(host.files, file, analysis::history_json(history)));
  streams.note(fmt::format("wrote the durations of {} to {}\n", plural(history.size(), "step"),
                           quoted(file)));
  return {};
}

bool has_bytes_of(const fs::path& path, const plan::Output& output) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) != output.size) return false;
  const Result<host::FileDigest> digest = host::digest_file(path);
  return digest && digest->sha256 == output.sha256;
}

}  // namespace pinwheel::cli
