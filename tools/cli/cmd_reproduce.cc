#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/url.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "host/git/worktree.h"
#include "host/machine/ignored_directory.h"
#include "host/net/fetch_text.h"
#include "host/net/http.h"
#include "host/run/journal_file.h"
#include "plan/origin.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/load.h"
#include "prepare/read_scope.h"
#include "prepare/recorded_run.h"
#include "prepare/store_places.h"
#include "prepare/workplace.h"
#include "report/report_json.h"
#include "session/enter_step.h"
#include "session/run_plan.h"
#include "session/run_store.h"

namespace pinwheel::cli {
namespace {

/// The step to repeat, and the origin of its run if recorded.
struct ReproduceTarget {
  std::string step;    ///< "build:cpu"
  std::string matrix;  ///< file of this checkout; empty if the origin has one
  std::optional<plan::RunOrigin> origin = std::nullopt;
};

namespace fs = std::filesystem;

bool is_file(ports::Files& files, const std::string& text) {
  return files.resolved_type(text) == ports::FileType::regular;
}

/// The classified positional arguments; ids are in `id`.
struct Named {
  std::string report;
  std::string id;
  std::vector<std::string> matrix;
};

Result<Named> sort_out(ports::Files& files, const std::vector<std::string>& arguments) {
  Named named;
  for (const std::string& argument : arguments) {
    if (prepare::is_matrix_name(argument)) {
      named.matrix.push_back(argument);
      continue;
    }
    const bool report = is_address(argument) || is_file(files, argument);
    std::string& place = report ? named.report : named.id;
    if (!place.empty()) {
      return fail(ErrorKind::usage,
                  fmt::format("`reproduce` takes one {}, not {} and {}", report ? "report" : "id",
                              quoted(place), quoted(argument)));
    }
    place = argument;
  }
  const bool path = named.id.find('/') != std::string::npos || named.id.ends_with(".json") ||
                    named.id.ends_with(".md");
  if (path) {
    return fail(ErrorKind::usage, fmt::format("there is no report {}", quoted(named.id)),
                "pass a file, a URL, or an id of the matrix");
  }
  return named;
}

Result<ReproduceTarget> from_report(const prepare::Host& host, const std::string& place,
                                    const std::string& id, Streams& streams) {
  std::string text;
  if (is_address(place)) {
    const std::shared_ptr<ports::Http> http =
        host.http(prepare::http_options(host.variables), streams.log(), {});
    TRY(text, host::fetch_text(*http, place));
  } else {
    TRY(text, host.files.read(place, limits::kReport));
  }
  TRY(report::RunReport run, report::find_report(text, place));
  ReproduceTarget target;
  TRY(target.step, report::failed_step(run.report, id));
  if (!plan::parse_step_id(target.step)) {
    return fail(ErrorKind::config,
                fmt::format("{} is a step of the report in {}, but it is not a valid step id",
                            quoted(target.step), quoted(place)),
                "`pinwheel` did not write this report: download it again from the run");
  }
  if (!run.origin) {
    return fail(ErrorKind::config,
                fmt::format("{} has no record of its run's commit and packages", quoted(place)),
                fmt::format("run the step from its commit: {}",
                            quoted(fmt::format("pinwheel reproduce {}", target.step))));
  }
  target.origin = std::move(run.origin);
  return target;
}

/// The step with the latest recorded failure.
const run::Finished* last_failure(const run::History& history,
                                  const std::vector<std::string>& steps) {
  const run::Finished* last = nullptr;
  for (const std::string& step : steps) {
    const auto found = history.latest.find(step);
    if (found == history.latest.end()) continue;
    if (found->second.outcome.state != plan::StepState::failed) continue;
    if (last == nullptr || found->second.at > last->at) last = &found->second;
  }
  return last;
}

/// The origin of a failed run in this state directory, if its run recorded it.
std::optional<plan::RunOrigin> origin_of_failure(ports::Files& files,
                                                 const plan::StepOutcome& outcome) {
  if (outcome.log.empty()) return std::nullopt;
  const fs::path path = fs::path(outcome.log).parent_path() / session::kReportName;
  const Result<std::string> text = files.read(path);
  if (!text) return std::nullopt;
  Result<report::RunReport> run = report::find_report(*text, path.string());
  return run ? std::move(run->origin) : std::nullopt;
}

/// The steps of a variant, or the step itself; the build first.
Result<std::vector<std::string>> steps_of(ports::Files& files, const std::string& id,
                                          const std::string& matrix, Streams& streams) {
  if (plan::is_sdist(id) || plan::kind_of_step(id) == plan::StepKind::environment)
    return std::vector{id};
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(files, matrix, streams, prepare::Warnings::print));
  TRY(const plan::Outline outline, prepare::outline_of(loaded, id));
  if (plan::parse_step_id(id)) return std::vector{id};
  return std::vector{plan::build_id(outline.builds.at(0).cls.id), plan::test_id(id)};
}

Result<ReproduceTarget> from_journal(const prepare::Host& host,
                                     const prepare::GlobalOptions& global, const Named& named,
                                     Streams& streams) {
  TRY(const run::History history, host::read_whole_journal(global.state_dir));
  ReproduceTarget target;
  // The record of a step's failure names its matrix.
  const run::Finished* failure = last_failure(history, {named.id});
  if (failure == nullptr) {
    TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named.matrix));
    target.matrix = choice.path;
    TRY(const std::vector<std::string> steps, steps_of(host.files, named.id, choice.path, streams));
    failure = last_failure(history, steps);
    target.step = steps.front();
  }
  if (failure != nullptr) {
    target.step = failure->outcome.id;
    target.origin = origin_of_failure(host.files, failure->outcome);
    if (target.origin) return target;
  }
  if (target.matrix.empty()) {
    TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, named.matrix));
    target.matrix = choice.path;
  }
  streams.note(fmt::format("no failed run of {} is recorded here: running {} from this checkout\n",
                           quoted(named.id), quoted(target.step)));
  return target;
}

/// Finds the step from the arguments: a report (a file or a URL) and optionally one of its failed
/// steps; or an id, which means its last failed step in the journal, or its build in this checkout
/// if none failed. Errors: `usage` for an id or file that does not exist, and those of
/// `report::find_report` and `host::fetch_text`.
Result<ReproduceTarget> find_target(const prepare::Host& host, const prepare::GlobalOptions& global,
                                    const std::vector<std::string>& arguments, Streams& streams) {
  TRY(const Named named, sort_out(host.files, arguments));
  if (named.report.empty() && named.id.empty()) {
    return fail(
        ErrorKind::usage, "`reproduce` needs an id or the report of a run",
        "`pinwheel plan --format ids` lists the ids; a failed run prints the path of its report");
  }
  Result<ReproduceTarget> target = named.report.empty()
                                       ? from_journal(host, global, named, streams)
                                       : from_report(host, named.report, named.id, streams);
  if (!target) return target;
  if (!named.matrix.empty()) target->matrix = named.matrix.front();
  if (plan::publishes(target->step)) {
    const bool upload = plan::kind_of_step(target->step) == plan::StepKind::publish;
    return fail(ErrorKind::usage,
                fmt::format("{} is {}, which cannot be repeated by itself", quoted(target->step),
                            upload ? "an upload" : "an install test of uploaded files"),
                "`pinwheel release` continues where it stopped");
  }
  return target;
}

/// Separate directories for the repetition, so that the journal and wheels of other runs do not
/// change. Logs remain there until the step is repeated again.
struct Place {
  fs::path directory;
  prepare::GlobalOptions global;  ///< with the state and output directories of the repetition
  std::unique_ptr<ports::FileLock> lock;
};

Result<Place> make_place(const prepare::Host& host, const prepare::GlobalOptions& global,
                         const std::string& step) {
  const fs::path state = host.at(global.state_dir);
  TRY_DONE(host::make_ignored_directory(host.files, state));
  Place place;
  place.directory = state / "reproduce" / plan::file_name_of(step);
  TRY_DONE(host.files.make_directories(place.directory.parent_path()));
  TRY(place.lock, host.files.lock(place.directory.string() + ".lock", ports::IfLocked::fail));
  TRY_DONE(host.files.remove_all(place.directory));
  place.global = global;
  place.global.state_dir = place.directory.string();
  place.global.output_dir = (place.directory / "dist").string();
  return place;
}

/// Resolutions recorded in this checkout are used for the repetition as well.
Done take_resolutions(ports::Files& files, const prepare::GlobalOptions& global,
                      const Place& place) {
  std::error_code failed;
  const fs::path known = fs::path(global.state_dir) / "resolutions";
  if (files.resolved_type(known) == ports::FileType::missing) return {};
  fs::create_directories(place.directory, failed);
  fs::copy(known, place.directory / "resolutions", fs::copy_options::recursive, failed);
  if (!failed) return {};
  return fail(ErrorKind::environment,
              fmt::format("{} cannot be copied: {}", quoted(known.string()), failed.message()));
}

/// The source of a step without a record, or of one outside git, is this checkout.
Result<prepare::RecordedSource> source_of(const prepare::Host& host, const ReproduceTarget& target,
                                          prepare::SourceOf of, const Place& place,
                                          const host::GitProgram& git) {
  if (!target.origin) return prepare::RecordedSource{target.matrix};
  const bool outside_git = target.origin->commit.empty();
  if (outside_git && !target.matrix.empty()) return prepare::RecordedSource{target.matrix};
  return prepare::recorded_source(host, *target.origin, of, place.directory / "checkout", git);
}

Result<prepare::PreparedRun> prepare_step(const prepare::Host& host,
                                          const ReproduceOptions& options,
                                          const ReproduceTarget& target, const Place& place,
                                          const std::string& matrix, Streams& streams) {
  if (target.origin) {
    return prepare::prepare_recorded_run(host, place.global, matrix,
                                         {*target.origin, target.step, options.levels}, streams);
  }
  const bool test = plan::kind_of_step(target.step) == plan::StepKind::test;
  const plan::Stage stage = test ? plan::Stage::test : plan::Stage::build;
  const std::vector<std::string> arguments = {target.step, target.matrix};
  return prepare::prepare_variant(host, place.global,
                                  {"reproduce", arguments, options.levels, stage}, streams);
}

/// The results of this checkout's runs for the steps that the requested one needs.
Result<plan::Results> earlier_results(const prepare::GlobalOptions& global,
                                      const session::RunRequest& request,
                                      const std::string& wanted) {
  TRY(const run::History history, host::read_journal(global.state_dir, request.store->domain()));
  plan::Results results = prepare::find_results(request.plan, history);
  std::erase_if(results, [&wanted](const auto& each) { return each.first.first == wanted; });
  return results;
}

/// Adds the store from which the needs of this step may be taken.
Done add_results_to_take(const prepare::Host& host, session::RunRequest& request,
                         const prepare::PreparedRun& prepared, const prepare::RunStore& store,
                         const std::string& step, Streams& streams) {
  TRY(request.store,
      session::open_run_store(host.files,
                              {store, prepared.gathered.scope.stores, session::StoreUse::read,
                               request.stop_store.get_token()},
                              request.workplace, streams));
  request.facts = session::result_facts(host, prepared, {});
  request.repeated = {step};
  return {};
}

/// The exit of a step's last command; set on the step's thread.
class LastExit {
 public:
  void set(const std::string& step, const ports::Exit& exit) {
    const std::scoped_lock held(mutex_);
    exits_[step] = exit;
  }
  std::optional<ports::Exit> of(const std::string& step) const {
    const std::scoped_lock held(mutex_);
    const auto found = exits_.find(step);
    return found == exits_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, ports::Exit> exits_;
};

std::string ending_of(const plan::StepOutcome& outcome, const std::optional<ports::Exit>& exit) {
  if (outcome.state != plan::StepState::failed) return std::string(to_string(outcome.state));
  if (!exit || exit->ok()) return fmt::format("failed ({})", to_string(outcome.error->kind));
  return exit->signal != 0 ? fmt::format("failed (signal {})", exit->signal)
                           : fmt::format("failed (exit code {})", exit->code);
}

/// Prints the exit of the step itself, and returns the exit code of the command.
Result<int> verdict(const plan::Report& report, const std::string& step, const LastExit& exits,
                    Streams& streams) {
  for (const plan::StepOutcome& outcome : report.outcomes) {
    if (outcome.id != step) continue;
    streams.data(fmt::format("{}: {}\n", step, ending_of(outcome, exits.of(step))));
    if (outcome.state == plan::StepState::failed) return exit_code(ErrorKind::step);
    if (outcome.state == plan::StepState::skipped) {
      return fail(ErrorKind::environment,
                  fmt::format("{} cannot run here: {}", quoted(step), outcome.reason),
                  "run `pinwheel doctor` to see what this machine can test");
    }
  }
  // A step that it needs failed before it.
  return plan::exit_code(report);
}

/// Starts a shell instead of the step, after the steps that it needs.
Result<int> enter(const prepare::Host& host, const prepare::GlobalOptions& global,
                  const prepare::RunOptions& run, session::RunRequest request, Streams& streams) {
  const plan::Step step = std::move(request.plan.steps.back());
  request.plan.steps.pop_back();
  session::StepEntry entry{step, step.id};
  if (!request.plan.steps.empty()) {
    TRY(const report::RunReport made, session::execute_run(host, global, run, request, streams));
    if (plan::exit_code(made.report) != 0) return plan::exit_code(made.report);
    entry.needs = made.report.outcomes;
  }
  streams.note(fmt::format(
      "a shell in the environment of {}; changes are discarded when it exits\n", quoted(step.id)));
  return session::enter_step(host, request.workplace, entry, streams);
}

}  // namespace

Result<int> cmd_reproduce(const prepare::Host& host, const prepare::GlobalOptions& global,
                          const ReproduceOptions& options, Streams& streams) {
  TRY(prepare::RunStore store, prepare::read_run_store(options.store, host));
  TRY(const ReproduceTarget target, find_target(host, global, options.arguments, streams));
  TRY(Place place, make_place(host, global, target.step));
  // One of them may be a report, which is not a source.
  place.global.named_files = options.arguments;
  for (std::string& path : prepare::directories_of(store.places)) {
    place.global.named_files.push_back(std::move(path));
  }
  TRY(const fs::path cache, prepare::cache_directory(host));
  host::Workplace aside = prepare::outside_run(host, streams.log());
  aside.cache = cache;
  aside.state = place.directory;
  const prepare::OpenMachine local = host.machine(aside);
  const host::GitProgram git{local->files, local->process, local->variables};
  const prepare::SourceOf of =
      options.here ? prepare::SourceOf::this_checkout : prepare::SourceOf::recorded_commit;
  TRY(const prepare::RecordedSource source, source_of(host, target, of, place, git));
  if (!target.origin) TRY_DONE(take_resolutions(host.files, global, place));
  TRY(const prepare::PreparedRun prepared,
      prepare_step(host, options, target, place, source.matrix, streams));
  TRY(plan::Plan part, plan::subplan(prepared.plan, {target.step}));
  session::RunRequest request{std::move(part), prepared.gathered.workplace,
                              "reproduce " + shell_join(options.arguments)};
  TRY_DONE(add_results_to_take(host, request, prepared, store, target.step, streams));
  TRY(request.results, earlier_results(global, request, target.step));
  prepare::RunOptions run;
  run.levels = options.levels;
  if (options.shell) return enter(host, global, run, std::move(request), streams);
  LastExit exits;
  request.workplace.on_exit = [&exits](const std::string& step, const ports::Exit& exit) {
    exits.set(step, exit);
  };
  TRY(const report::RunReport done, session::execute_run(host, global, run, request, streams));
  return verdict(done.report, target.step, exits, streams);
}

}  // namespace pinwheel::cli
