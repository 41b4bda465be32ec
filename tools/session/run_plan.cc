#include "session/run_plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "base/terminal_text.h"
#include "base/text.h"
#include "host/dry_run/dry_runner.h"
#include "host/machine/contained_machine.h"
#include "host/machine/ignored_directory.h"
#include "host/machine/machine_name.h"
#include "host/net/http.h"
#include "host/run/journal_file.h"
#include "host/run/stored_results.h"
#include "host/run/thread_runner.h"
#include "host/system/log_tail.h"
#include "host/system/signals.h"
#include "plan/action.h"
#include "plan/evidence_gate.h"
#include "plan/known_results.h"
#include "plan/step_id.h"
#include "prepare/budget.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/time_left.h"
#include "prepare/workplace.h"
#include "report/failure.h"
#include "report/json_status.h"
#include "report/live_status.h"
#include "report/plain_status.h"
#include "report/report_json.h"
#include "report/summary.h"
#include "run/attempt.h"
#include "run/execute.h"
#include "run/executor.h"
#include "run/forecast.h"
#include "run/reuse.h"
#include "run/status.h"
#include "session/ask_github.h"
#include "session/ask_indexes.h"
#include "session/export_trace.h"
#include "session/release_records.h"
#include "session/reuse_only.h"
#include "session/run_checkpoints.h"
#include "session/step_secrets.h"
#include "store/domain.h"

namespace pinwheel::session {
namespace {

std::string again_line(const prepare::GlobalOptions& global, const RunRequest& request,
                       const std::string& step) {
  // An upload is not repeated by hand, and the repetition of a step uses its own command line.
  const std::string& arguments = request.program_arguments;
  const bool same = plan::publishes(step) || arguments.starts_with("reproduce ") ||
                    arguments.starts_with("init ");
  if (same) return "pinwheel " + arguments;
  // The runner no longer exists when people read its log.
  const std::string address =
      request.origin ? report::report_address(request.workplace.variables) : "";
  if (!address.empty()) return shell_join({"pinwheel", "reproduce", address, step});
  const bool usual = global.state_dir == prepare::GlobalOptions().state_dir;
  const std::string where = usual ? "" : " --state-dir " + shell_quote(global.state_dir);
  return fmt::format("pinwheel reproduce {}{}", shell_quote(step), where);
}

constexpr uint64_t kMostOfLog = 1 << 20;  ///< bytes that contain its last lines

report::FailureFacts failure_facts(const prepare::GlobalOptions& global, const RunRequest& request,
                                   const plan::StepOutcome& outcome) {
  report::FailureFacts facts;
  if (!outcome.log.empty()) {
    facts.log_tail = last_lines(host::log_tail(outcome.log, kMostOfLog));
  }
  // The directories of a job of `--executor slurm` are removed with it, so only the caller names
  // the command.
  const bool in_job = request.requested && !global.logs_dir.empty();
  if (!in_job) facts.again = again_line(global, request, outcome.id);
  return facts;
}

}  // namespace

const report::FailureFacts& KnownFailures::of(const plan::StepOutcome& failed) {
  const auto known = known_.find(failed.id);
  if (known != known_.end()) return known->second;
  return known_.emplace(failed.id, failure_facts(global_, request_, failed)).first->second;
}

namespace {

namespace fs = std::filesystem;

/// The most bytes of a log that the live status reads to find its last line.
constexpr uint64_t kLiveBytes = 8192;

report::Printer printer_for(KnownFailures& failures, Console& console) {
  report::Printer printer;
  printer.out = [&console](std::string_view text) { console.drawing(text); };
  printer.command = [&console](std::string_view text) { console.command(text); };
  printer.color = console.color();
  printer.columns = console.note_columns();
  printer.log_end = [](const std::string& log) { return host::log_tail(log, kLiveBytes); };
  printer.facts = [&failures](const plan::StepOutcome& outcome) { return failures.of(outcome); };
  return printer;
}

std::unique_ptr<run::StatusSink> status_in_format(prepare::LogFormat format,
                                                  KnownFailures& failures, Console& console) {
  report::Printer printer = printer_for(failures, console);
  if (format == prepare::LogFormat::json) {
    return std::make_unique<report::JsonStatus>(
        [&console](std::string_view text) { console.json_line(text); });
  }
  if (console.in_github()) return std::make_unique<report::GitHubStatus>(std::move(printer));
  const bool quiet = console.verbosity() == prepare::Verbosity::quiet;
  // Lines of the log would be overwritten.
  const bool log_shown = console.verbosity() > prepare::Verbosity::normal;
  const bool live =
      !quiet &&
      (format == prepare::LogFormat::pretty ||
       (format == prepare::LogFormat::automatic && !log_shown && console.stderr_is_terminal()));
  if (live)
    return std::make_unique<report::LiveStatus>(std::move(printer),
                                                [&console] { return console.window_columns(); });
  return std::make_unique<report::PlainStatus>(std::move(printer));
}

std::unique_ptr<run::StatusSink> make_status(prepare::LogFormat format, KnownFailures& failures,
                                             Console& console) {
  std::unique_ptr<run::StatusSink> status = status_in_format(format, failures, console);
  if (console.verbosity() != prepare::Verbosity::quiet) return status;
  return std::make_unique<report::FailuresOnly>(std::move(status));
}

/// The directories of this run. Scratch directories of killed runs are removed; the journal's lock
/// guarantees that no other run is active. Logs remain, one directory per run.
struct RunDirectories {
  fs::path scratch;
  fs::path logs;
};

Result<RunDirectories> make_run_directories(ports::Files& files, const host::Workplace& workplace) {
  RunDirectories made{workplace.state / "scratch", workplace.logs};
  TRY_DONE(files.remove_all(made.scratch));
  TRY_DONE(files.make_directories(made.scratch));
  TRY_DONE(files.make_directories(made.logs));
  return made;
}

/// Logs why each step is run or reused.
void log_decisions(ports::Log& log, const plan::Plan& plan,
                   const std::vector<run::Forecast>& steps) {
  for (size_t i = 0; i < steps.size(); ++i) {
    ports::LogEvent event{ports::LogLevel::info,
                          "step_decided",
                          {{"step", steps[i].id},
                           {"decision", std::string(to_string(steps[i].expected))},
                           {"because", steps[i].because},
                           {"key", plan.steps[i].key}}};
    if (!steps[i].changes.empty()) event.fields.push_back({"changes", steps[i].changes});
    log.write(event);
  }
}

/// The results of earlier runs that this run may reuse.
plan::Results known_results(const RunRequest& request, const run::History& history) {
  const auto digests = prepare::digest_outputs(request.plan, history);
  log_decisions(*request.workplace.log, request.plan,
                run::forecast(request.plan, history, digests));
  plan::Results results = run::still_valid(run::results_of(request.plan, history), digests);
  results.insert(request.results.begin(), request.results.end());
  return results;
}

/// The steps for which the result of a skipped test is enough, because a run that only reuses does
/// not request the test.
std::set<std::string> not_requested(const RunRequest& request) {
  std::set<std::string> steps;
  if (!request.requested) return steps;
  for (const plan::Step& step : request.plan.steps) {
    if (!request.requested->contains(step.id)) steps.insert(step.id);
  }
  return steps;
}

/// The results of earlier runs, here and in the store.
Result<host::SearchedResults> results_everywhere(ports::Files& files, const RunRequest& request,
                                                 const run::History& history, Console& console) {
  host::SearchedResults known{known_results(request, history)};
  if (!request.store || request.store->empty()) return known;
  TRY_DONE(host::make_output_directory(files, request.workplace.output));
  known = host::search_store(std::move(known.results), {.store = *request.store,
                                                        .plan = request.plan,
                                                        .facts = request.facts,
                                                        .output = request.workplace.output,
                                                        .left_out = request.repeated,
                                                        .skipped_will_do = not_requested(request),
                                                        .log = request.workplace.log});
  for (const Error& warning : known.warnings) console.warn(warning);
  if (!known.found.empty()) {
    console.note(fmt::format("found {} in the store\n", plural(known.found.size(), "result")));
  }
  return known;
}

/// The options with which another command uses the plan and the places of this one.
std::string options_of_places(const prepare::GlobalOptions& global,
                              const prepare::RunOptions& options) {
  std::vector<std::string> words = options.selection.arguments;
  if (!options.plan_file.empty()) words = {"--plan", options.plan_file};
  if (global.state_dir != prepare::GlobalOptions().state_dir) {
    words.insert(words.end(), {"--state-dir", global.state_dir});
  }
  for (const std::string& place : options.store.places) {
    words.insert(words.end(), {"--store", place});
  }
  return shell_join(words);
}

/// Checks that a run that only reuses has all results, and, for a gate, the evidence. `options`
/// are those of `options_of_places`.
Done check_complete(const RunRequest& request, const plan::Plan& plan, const plan::Results& results,
                    const std::string& options) {
  if (!request.requested) return {};
  std::vector<std::string> places = {quoted(request.workplace.state.string())};
  if (request.store) {
    for (const std::string& place : request.store->queried_places())
      places.push_back(quoted(place));
  }
  const std::map<std::string, Error> missing =
      missing_results(plan, results, {*request.requested, places, options});
  if (missing.empty()) return {};
  // Steps that are still to run have no evidence yet.
  const bool over = request.gate && request.requested->empty();
  return plan::check_gate(over ? *request.gate : std::vector<plan::Step>(),
                          plan::known_outcomes(plan, results), request.workplace.accepted, missing);
}

/// Records nothing: for an execution without effects.
class NoRecorder final : public run::Recorder {
 public:
  Done started(const run::Attempt& /*attempt*/) override { return {}; }
  Done finished(const plan::StepOutcome& /*outcome*/) override { return {}; }
};

/// Shows nothing: for an execution whose only output is its result.
class NoStatus final : public run::StatusSink {
 public:
  void plan_started(const plan::Plan& /*plan*/, size_t /*reused*/) override {}
  void step_started(const plan::Step& /*step*/, int /*attempt*/, int /*cores*/) override {}
  void step_retry(const plan::Step& /*step*/, const Error& /*error*/,
                  std::chrono::milliseconds /*delay*/) override {}
  void step_finished(const plan::StepOutcome& /*outcome*/) override {}
  void heartbeat(const run::Progress& /*progress*/) override {}
  void summary(const plan::Report& /*report*/) override {}
};

/// The domain of the run, which decides whose results it uses, including those of its journal.
Result<store::Domain> domain_of(const RunRequest& request) {
  if (request.store) return request.store->domain();
  return store::choose_domain({}, request.workplace.variables);
}

Result<int> run_dry(const prepare::Host& host, const prepare::RunOptions& options,
                    const RunRequest& request, Console& console) {
  if (request.slurm) {
    TRY(const store::Domain domain, domain_of(request));
    TRY(const std::string script,
        slurm_script(host, *request.slurm, request.workplace, request.plan, domain));
    console.file(script);
    return 0;
  }
  TRY(const run::Budget budget, prepare::budget_of(host.variables, options));
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  host::DryRunner runner(prepare::with_path_mode(host, request.workplace), program,
                         [&console](std::string_view text) { console.file(text); });
  NoRecorder recorder;
  NoStatus status;
  run::ExecuteOptions execute{.budget = budget};
  execute.scratch = request.workplace.state / "scratch";
  execute.logs = request.workplace.state / "logs";
  const plan::Report report =
      run::execute(request.plan, execute, {runner, recorder, status, host.clock});
  for (const plan::StepOutcome& outcome : report.outcomes) {
    if (outcome.error) return fail(*outcome.error);
  }
  return 0;
}

bool has_failed(const plan::StepOutcome& outcome) {
  return outcome.state == plan::StepState::failed;
}

/// The report with the origin of its run, if it will be read.
report::RunReport with_origin(plan::Report report, const RunRequest& request, bool wanted,
                              Console& console) {
  const auto& outcomes = report.outcomes;
  const bool failed = std::any_of(outcomes.begin(), outcomes.end(), has_failed);
  report::RunReport run{std::move(report)};
  if (!request.origin || !(wanted || failed)) return run;
  Result<plan::RunOrigin> origin = request.origin();
  if (!origin) {
    console.warn(origin.error());
    return run;
  }
  for (const plan::StepOutcome& outcome : run.report.outcomes) {
    if (!has_failed(outcome)) continue;
    for (const plan::Step& step : request.plan.steps) {
      if (step.id == outcome.id) origin->steps.push_back(plan::command_of(step));
    }
  }
  run.origin = *std::move(origin);
  return run;
}

std::string hidden_in(const host::Workplace& workplace, std::string text) {
  return workplace.hidden ? workplace.hidden->mask(text) : std::move(text);
}

/// The step summary of GitHub Actions, and an annotation for each cause of failures and each
/// warning.
void report_to_github(prepare::LogFormat format, KnownFailures& failures,
                      const report::RunReport& run, const host::Workplace& workplace,
                      Console& console) {
  if (!console.in_github() && !console.has_step_summary()) return;
  const std::vector<report::FailureCause> causes = report::failure_causes(
      run.report, [&failures](const plan::StepOutcome& outcome) { return failures.of(outcome); });
  if (format != prepare::LogFormat::json) {
    for (report::Annotation& each : report::annotations_of(causes)) {
      console.annotate(std::move(each));
    }
    for (report::Annotation& each : report::annotations_of(report::step_warnings(run.report))) {
      console.annotate(std::move(each));
    }
  }
  console.step_summary(hidden_in(workplace, report::summary_markdown(run, causes)));
}

std::vector<const plan::Step*> steps_to_run(const plan::Plan& plan, const plan::Results& results) {
  std::set<std::string> reused;
  for (const auto& [id, outcome] : plan::reuse(plan, results)) reused.insert(id);
  std::vector<const plan::Step*> steps;
  for (const plan::Step& step : plan.steps) {
    if (!reused.contains(step.id)) steps.push_back(&step);
  }
  return steps;
}

/// A release with steps before its uploads asks the indexes first: hours of builds should not end
/// in a release that is closed. Where only uploads are left, these ask themselves.
Done ask_before_builds(const prepare::Host& host, const host::Workplace& workplace,
                       const plan::Plan& plan, const std::vector<const plan::Step*>& steps,
                       Console& console) {
  std::vector<const plan::Publish*> publications;
  for (const plan::Step* const step : steps) {
    const auto* const publication = std::get_if<plan::Publish>(&step->action);
    if (publication != nullptr) publications.push_back(publication);
  }
  if (publications.size() == steps.size()) return {};
  const std::vector<publish::PlannedRelease> releases = planned_releases(plan, publications);
  const host::HttpOptions requests = host::last_options(prepare::http_options(workplace.variables));
  std::vector<publish::IndexState> states = ask_indexes(host, releases, requests, workplace.log);
  for (publish::IndexState& state : ask_github({host, workplace, requests}, plan, publications)) {
    states.push_back(std::move(state));
  }
  const PageSource source{host, workplace, requests};
  for (publish::IndexState& state : ask_about_recuts(source, plan, publications)) {
    states.push_back(std::move(state));
  }
  return report_states(states, console);
}

bool publishes(const plan::Plan& plan) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [](const plan::Step& step) {
    return std::holds_alternative<plan::Publish>(step.action);
  });
}

/// Removes the scratch directory of a successful run. That of a failed run remains for inspection,
/// with the report.
void clean_up(ports::Files& files, const RunDirectories& directories,
              const host::Workplace& workplace, const report::RunReport& run, Console& console) {
  if (plan::exit_code(run.report) == 0) {
    if (const Done removed = files.remove_all(directories.scratch); !removed) {
      console.warn(removed.error());
    }
  } else if (run.origin) {
    const Done written =
        files.write(directories.logs / kReportName, hidden_in(workplace, report::report_json(run)));
    if (!written) console.warn(written.error());
  }
}

/// Writes the records of finished publications. The release is not less complete without them.
void write_records(ports::Files& files, const RunRequest& request, const plan::Plan& plan,
                   const plan::Report& report, Console& console) {
  if (!request.release || !publishes(plan)) return;
  for (const auto& [name, record] : release_records(plan, report.outcomes, *request.release)) {
    const Done written = files.write(request.workplace.output / name, publish::record_json(record));
    if (!written) console.warn(written.error());
  }
}

/// Writes why tests fall short of the gate into the state directory, where a comparison finds it,
/// and removes what an earlier run wrote.
void record_weak_tests(ports::Files& files, const RunRequest& request, const plan::Report& report,
                       Console& console) {
  const fs::path file = request.workplace.state / plan::kGateFile;
  const auto weak = plan::weak_tests(*request.gate, report.outcomes, request.workplace.accepted);
  const bool short_of = weak && !weak->empty();
  if (!short_of && files.resolved_type(file) == ports::FileType::missing) return;
  const Done done = short_of ? files.write(file, plan::gate_json(*weak)) : files.remove_all(file);
  if (!done) console.warn(done.error());
}

Result<run::ExecuteOptions> execute_options(const std::map<std::string, std::string>& variables,
                                            const prepare::RunOptions& options,
                                            const RunDirectories& directories,
                                            const plan::Results& results) {
  TRY(const run::Budget budget, prepare::budget_of(variables, options));
  run::ExecuteOptions execute{.budget = budget};
  if (options.keep_going) execute.on_failure = run::OnFailure::keep_going;
  execute.scratch = directories.scratch;
  execute.logs = directories.logs;
  execute.results = results;
  execute.seed = std::random_device{}();
  execute.worker = host::worker_name(variables);
  TRY(execute.until, prepare::end_of_time(options));
  return execute;
}

/// The recipients of an execution's events.
struct Listeners {
  run::Recorder& journal;
  run::StatusSink& status;
  Console& console;
};

/// Executes a plan: its jobs on a cluster, and all other steps on this machine.
plan::Report execute_on_slurm(SlurmRun& slurm, run::Executor& local, const plan::Plan& plan,
                              run::ExecuteOptions options, const run::ExecutionPorts& around,
                              Console& console) {
  const std::unique_ptr<host::SlurmExecutor> cluster = slurm.executor(local, console);
  options.token = [&cluster, &plan](const std::string& step, int number) {
    return cluster->token_of(plan.digest, step, number);
  };
  return run::execute(plan, options, {*cluster, around.recorder, around.status, around.clock});
}

/// A plan, and where its steps run.
struct Execution {
  const plan::Plan& plan;
  const run::ExecuteOptions& options;
  SlurmRun* slurm = nullptr;  ///< for its jobs; null: all steps run on this machine
};

plan::Report execute_plan(const prepare::Host& host, const RunRequest& request,
                          const host::Workplace& workplace, const Execution& execution,
                          const Listeners& listeners) {
  const plan::Plan& plan = execution.plan;
  SlurmRun* const slurm = execution.slurm;
  // A job of `--executor slurm` has the time that its step needs.
  const std::optional<prepare::JobEnd> end =
      request.requested ? std::nullopt
                        : prepare::find_job_end(*host.machine(workplace), host.variables);
  host::ThreadRunner runner(
      [&host, &workplace, &end](const run::Attempt& attempt,
                                std::stop_token stop) -> Result<run::Success> {
        const bool continues = attempt.checkpoints && checkpoint_settings(*attempt.step) != nullptr;
        if (!continues) {
          TRY_DONE(prepare::check_ends_in_time(*attempt.step, end, host.clock.now()));
        }
        return host.perform(workplace, attempt, std::move(stop));
      });
  const host::SignalWatcher signals([&runner, slurm](int signal) {
    runner.interrupt(signal);
    if (slurm != nullptr) slurm->interrupt();
  });
  std::optional<host::StoringRecorder> keeping;
  if (request.store) {
    keeping.emplace(listeners.journal, *request.store, plan, request.facts, host.clock);
  }
  run::Recorder& recorder = keeping ? static_cast<run::Recorder&>(*keeping) : listeners.journal;
  const run::ExecutionPorts around{runner, recorder, listeners.status, host.clock};
  if (slurm != nullptr) {
    return execute_on_slurm(*slurm, runner, plan, execution.options, around, listeners.console);
  }
  return run::execute(plan, execution.options, around);
}

/// Waits until everything is stored, and reports the faults of places.
void finish_store(const RunRequest& request, Console& console) {
  if (!request.store) return;
  for (const Error& warning : request.store->finish()) console.warn(warning);
}

/// The same, but does not wait after an interruption, which ends running transfers.
void end_store(const RunRequest& request, const plan::Report& report, Console& console) {
  if (report.signal != 0) request.stop_store.request_stop();
  finish_store(request, console);
}

}  // namespace

Result<report::RunReport> execute_run(const prepare::Host& host,
                                      const prepare::GlobalOptions& global,
                                      const prepare::RunOptions& options, const RunRequest& request,
                                      Console& console) {
  TRY(const store::Domain own, domain_of(request));
  TRY(const std::unique_ptr<host::JournalFile> journal,
      host::JournalFile::open(request.workplace.state, host.clock, own));
  request.workplace.log->write({ports::LogLevel::debug,
                                "locked",
                                {{"path", (request.workplace.state / "journal.lock").string()}}});
  const prepare::OpenMachine cleaner =
      host.machine(prepare::outside_run(host, request.workplace.log));
  host::remove_left_containers(cleaner->process, request.workplace);
  TRY(const RunDirectories directories, make_run_directories(host.files, request.workplace));
  TRY(const host::SearchedResults known,
      results_everywhere(host.files, request, journal->history(), console));
  const plan::Results results = with_unplaced(request.plan, known.results, request.unplaced);
  const plan::Plan plan =
      plan::without_idle(plan::without_device_code(request.plan, results, options.steps), results);
  if (Done complete = check_complete(request, plan, results, options_of_places(global, options));
      !complete) {
    // A fault of a place may be the reason for a missing result.
    finish_store(request, console);
    return fail(std::move(complete).error());
  }
  if (request.store) host::store_reused(plan, known, request.facts, host.clock, *request.store);
  TRY(run::ExecuteOptions execute, execute_options(host.variables, options, directories, results));
  const std::vector<const plan::Step*> steps = steps_to_run(plan, results);
  RunCheckpoints checkpoints = open_checkpoints(
      {options.checkpoints, request.open_store, request.workplace.state, own}, steps);
  execute.checkpoints = checkpoints.stored;
  // The jobs of a run share a directory, which their caller empties.
  if (request.requested) checkpoints.directory.clear();
  if (checkpoints.stored) {
    TRY(execute.until, end_of_run(host, request.workplace, steps, execute.until));
  }
  TRY(host::Workplace workplace, with_secrets(request.workplace, steps, console));
  TRY_DONE(ask_before_builds(host, workplace, plan, steps, console));
  if (!steps.empty()) workplace = prepare::with_path_mode(host, std::move(workplace));
  prepare::note_open_network(workplace, steps, console);
  const std::optional<TraceExport> traced = plan_export(
      host, {workplace, request.program_arguments, request.facts.plan, request.release}, console);
  if (traced) trace_steps(*traced, execute);
  std::unique_ptr<SlurmRun> slurm;
  if (request.slurm && request.store) {
    TRY(slurm, SlurmRun::open(host, *request.slurm, workplace, plan, *request.store));
  }
  KnownFailures failures(global, request);
  report::LoggedStatus status(make_status(global.log_format, failures, console),
                              request.workplace.log);
  report::RunReport run =
      with_origin(execute_plan(host, request, workplace, {plan, execute, slurm.get()},
                               {*journal, status, console}),
                  request, options.json, console);
  close_checkpoints(host.files, checkpoints, run.report, console);
  end_store(request, run.report, console);
  write_records(host.files, request, plan, run.report, console);
  report_to_github(global.log_format, failures, run, workplace, console);
  clean_up(host.files, directories, workplace, run, console);
  // Last: a collector may be slow.
  if (traced) export_trace(host, *traced, run.report, workplace, console);
  return run;
}

Result<int> run_plan(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const prepare::RunOptions& options, const RunRequest& request,
                     Console& console) {
  if (options.dry_run) return run_dry(host, options, request, console);
  TRY(const report::RunReport run, execute_run(host, global, options, request, console));
  if (options.json) console.json(report::report_json(run));
  const int code = plan::exit_code(run.report);
  const bool unfinished = code == pinwheel::exit_code(ErrorKind::unfinished);
  // A gate requires results that an unfinished build does not have.
  if (unfinished && options.unfinished_ok && !request.gate) return 0;
  if (code != 0 || !request.gate) return code;
  record_weak_tests(host.files, request, run.report, console);
  TRY_DONE(plan::check_gate(*request.gate, run.report.outcomes, request.workplace.accepted, {}));
  console.note(request.gate_message + "\n");
  // The summary of a single test's job contains only the test.
  const bool whole = !request.requested || request.requested->empty();
  if (const auto none = report::untested(run.report); none && whole) {
    console.warn(Error{ErrorKind::check, fmt::format("the gate passed, but {}", *none)}.with_hint(
        "run the tests on their hardware, or require their evidence: `publish: {require: ran}`"));
  }
  return 0;
}

}  // namespace pinwheel::session
