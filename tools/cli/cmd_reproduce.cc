#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/reproduce_target.h"
#include "host/git/worktree.h"
#include "host/machine/ignored_directory.h"
#include "host/run/journal_file.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/one_variant.h"
#include "prepare/recorded_run.h"
#include "prepare/store_places.h"
#include "prepare/workplace.h"
#include "session/enter_step.h"
#include "session/run_plan.h"
#include "session/run_store.h"

namespace pinwheel::cli {
namespace {

namespace fs = std::filesystem;

/// Separate directories for the repetition, so that the journal and wheels of other runs do not
/// change. Logs stay there until the step is repeated again.
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
  if (files.type_behind(known) == ports::FileType::missing) return {};
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
  TRY(const journal::History history,
      host::read_journal(global.state_dir, request.store->domain()));
  plan::Results results = prepare::find_results(request.plan, history);
  std::erase_if(results, [&wanted](const auto& each) { return each.first.first == wanted; });
  return results;
}

/// The store that the steps which this one needs may be taken from.
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
  void tell(const std::string& step, const ports::Exit& exit) {
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
  // A step that it needs failed first.
  return plan::exit_code(report);
}

/// Starts a shell instead of the step, after the steps that it needs.
Result<int> enter(const prepare::Host& host, const prepare::GlobalOptions& global,
                  const prepare::RunOptions& run, session::RunRequest request, Streams& streams) {
  const plan::Step step = std::move(request.plan.steps.back());
  request.plan.steps.pop_back();
  session::StepEntry entry{step, step.id};
  if (!request.plan.steps.empty()) {
    TRY(const report::RunReport made, session::carry_out(host, global, run, request, streams));
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
  // One of them may be a report, which is no source.
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
    exits.tell(step, exit);
  };
  TRY(const report::RunReport done, session::carry_out(host, global, run, request, streams));
  return verdict(done.report, target.step, exits, streams);
}

}  // namespace pinwheel::cli
