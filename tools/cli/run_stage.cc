#include "cli/run_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "ci/job_rows.h"
#include "cli/commands.h"
#include "host/run/stored_results.h"
#include "plan/known_results.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "prepare/budget.h"
#include "prepare/configuration.h"
#include "prepare/executor_choice.h"
#include "prepare/frozen_run.h"
#include "prepare/host.h"
#include "prepare/http_options.h"
#include "prepare/prepare_run.h"
#include "prepare/requested_run.h"
#include "prepare/slurm_cluster.h"
#include "prepare/step_choice.h"
#include "prepare/store_places.h"
#include "publish/upload_event.h"
#include "report/changed_since_report.h"
#include "session/changed_since.h"
#include "session/remote_compiler_cache.h"
#include "session/reuse_only.h"
#include "session/run_plan.h"
#include "session/run_store.h"
#include "slurm/settings.h"

namespace pinwheel::cli {
namespace {

/// "cp311-cpu=no GPU runner today" -> id and reason.
Result<std::map<std::string, std::string>> parse_accepted(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> accepted;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      return fail(ErrorKind::usage,
                  fmt::format("{} has no reason", quoted(fmt::format("--accept {}", text))),
                  "use `--accept ID=REASON`; the reason is recorded");
    }
    accepted[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return accepted;
}

/// The run on the command line. One that only reuses a frozen plan prepares only the steps that it
/// executes.
Result<prepare::RequestedRun> read_request(const prepare::Host& host,
                                           const prepare::RunCommand& command, Streams& streams) {
  const prepare::RunOptions& options = command.options;
  TRY_DONE(prepare::check_step_choice(options, command.choice.globs));
  TRY_DONE(session::check_reuse_options(options, command.stage));
  TRY(prepare::RequestedRun requested, prepare::read_run(host, command, streams));
  // Without a frozen plan, the keys of reused results depend on everything that is prepared.
  if (options.reuse_only && command.frozen) {
    TRY(requested.scope, session::executing_only(std::move(requested.scope), options, command.stage,
                                                 requested.steps));
  }
  return requested;
}

bool is_publication(const plan::Step& step) {
  return std::holds_alternative<plan::Publish>(step.action);
}

/// The steps of a run that `--changed-since` leaves, after their reasons were printed; nullopt
/// without the option.
Result<std::optional<std::vector<std::string>>> changed_steps(const prepare::Host& host,
                                                              const prepare::RunCommand& command,
                                                              const prepare::RunStore& store,
                                                              const prepare::RunScope& scope,
                                                              Streams& streams) {
  const prepare::RunOptions& options = command.options;
  if (options.changed_since.empty()) return std::nullopt;
  TRY(plan::ChangedSince since,
      session::changed_since(
          host, scope,
          {command.global, options.changed_since, options.selection.channel, store,
           options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes},
          streams));
  if (command.stage == plan::Stage::build) {
    std::erase_if(since.steps, [](const plan::SinceStep& step) {
      return plan::kind_of_step(step.id) == plan::StepKind::test;
    });
  }
  streams.note(report::since_text(since, streams.note_columns()));
  if (streams.has_step_summary()) streams.step_summary(report::since_markdown(since));
  return plan::steps_to_run(since);
}

/// The run without the steps that did not change.
Result<prepare::RequestedRun> only_changed(prepare::RequestedRun requested,
                                           const std::vector<std::string>& steps) {
  TRY(requested.scope, prepare::narrowed_to_steps(std::move(requested.scope), steps));
  requested.steps = steps;
  return requested;
}

/// Removes the evidence that a publication requires of steps that come after the gate.
void require_only_before_gate(std::vector<plan::Step>& publications) {
  for (plan::Step& step : publications) {
    std::erase_if(std::get<plan::Publish>(step.action).require_evidence,
                  [](const auto& each) { return plan::publishes(each.first); });
  }
}

std::vector<plan::Step> publications_of(const plan::Plan& plan) {
  std::vector<plan::Step> publications;
  std::copy_if(plan.steps.begin(), plan.steps.end(), std::back_inserter(publications),
               is_publication);
  return publications;
}

/// The publications that depend on the tests of a run, with the evidence that they require of these
/// tests.
Result<std::vector<plan::Step>> dependent_publications(const prepare::PreparedRun& run) {
  TRY(const prepare::RunScope scope, prepare::up_to(plan::Stage::publish, run.gathered.scope));
  TRY(const plan::Plan whole, prepare::decide_plan(scope, run.gathered.facts));
  std::set<std::string> here;
  for (const plan::Step& step : run.plan.steps) here.insert(step.id);
  std::vector<plan::Step> publications = publications_of(whole);
  for (plan::Step& step : publications) {
    std::erase_if(std::get<plan::Publish>(step.action).require_evidence,
                  [&](const auto& each) { return !here.contains(each.first); });
  }
  return publications;
}

/// The tests that no job of a workflow runs.
Result<std::vector<std::string>> unplaced_tests(const prepare::PreparedRun& run) {
  const prepare::RunScope& scope = run.gathered.scope;
  TRY(const std::vector<ci::JobRow> tests,
      ci::job_rows(run.plan, scope.outline, scope.loaded.expansion.variants, scope.loaded.matrix.ci,
                   ci::Rows::tests));
  std::vector<std::string> unplaced;
  for (const ci::JobRow& test : tests) {
    if (!test.runner) unplaced.push_back(test.step);
  }
  return unplaced;
}

/// Adds the requirements of a gate.
Done add_gate_to(session::RunRequest& request, const prepare::PreparedRun& run, plan::Stage stage) {
  if (stage == plan::Stage::test) {
    TRY(request.gate, dependent_publications(run));
    request.gate_message = "the tests have the evidence that publishing requires";
    return {};
  }
  request.gate_message = "all results exist, with the required evidence; nothing was published";
  request.gate = publications_of(run.plan);
  require_only_before_gate(*request.gate);
  std::erase_if(request.plan.steps,
                [](const plan::Step& step) { return plan::publishes(step.id); });
  return {};
}

/// Removes the publications that nobody requested, except the first one of a promoted release, from
/// which the others get their files: pages that link to a release read it back, whoever made it.
void drop_unrequested(plan::Plan& part, const std::vector<std::string>& steps) {
  std::set<std::string> dropped;
  std::erase_if(part.steps, [&](const plan::Step& step) {
    const auto* const publication = std::get_if<plan::Publish>(&step.action);
    const bool needed = publication == nullptr || publication->role == plan::PublishRole::first ||
                        std::ranges::find(steps, step.id) != steps.end();
    if (!needed) dropped.insert(step.id);
    return !needed;
  });
  for (plan::Step& step : part.steps) {
    std::erase_if(step.needs, [&](const std::string& need) { return dropped.contains(need); });
  }
}

/// The requested part of the plan. A release that only reuses does not need the builds that it
/// withholds.
Result<plan::Plan> requested_part(const plan::Plan& plan, const prepare::RunOptions& options,
                                  std::vector<std::string> steps) {
  if (steps.empty() && options.reuse_only) {
    for (const plan::Step& step : publications_of(plan)) steps.push_back(step.id);
  }
  if (steps.empty()) return plan;
  TRY(plan::Plan part, plan::subplan(plan, steps));
  drop_unrequested(part, steps);
  return part;
}

/// How the run uses its store. A gate publishes nothing.
session::StoreUse store_use_of(const plan::Plan& plan, const prepare::RunOptions& options) {
  return publications_of(plan).empty() || options.gate ? session::StoreUse::write
                                                       : session::StoreUse::publish;
}

/// Prints the progress of a run's uploads, in the format of its other lines. Empty if a live status
/// is shown on the terminal, which these lines would garble; the step's log contains everything.
std::function<void(const publish::UploadEvent&)> upload_notes(const prepare::GlobalOptions& options,
                                                              session::Console& console) {
  const prepare::LogFormat format = options.log_format;
  if (format == prepare::LogFormat::json) {
    return [&console](const publish::UploadEvent& event) {
      if (console.verbosity() != prepare::Verbosity::quiet)
        console.json_line(publish::to_json_line(event));
    };
  }
  const bool live = format == prepare::LogFormat::pretty ||
                    (format == prepare::LogFormat::automatic && console.stderr_is_terminal());
  if (live && !console.in_github()) return {};
  return [&console](const publish::UploadEvent& event) { console.note(publish::to_line(event)); };
}

/// The settings for the store of a run.
struct StoreSettings {
  const prepare::RunStore& store;
  session::StoreUse use;
  std::string plan_digest;  ///< as `RequestedRun::plan_digest`
};

/// The command line to repeat a run, exactly as it was given: without its plan, target or store it
/// would publish something else.
std::string repeat_command(const prepare::GlobalOptions& global, const std::string& command,
                           const prepare::MatrixChoice& choice) {
  if (!global.arguments.empty()) return shell_join(global.arguments);
  return shell_join({command, choice.path});
}

/// Opens the store of the run and adds the facts for its results.
Done add_store_to(const prepare::Host& host, session::RunRequest& request,
                  const prepare::PreparedRun& run, const StoreSettings& requested,
                  Streams& streams) {
  const session::StoreRequest places{requested.store, run.gathered.scope.stores, requested.use,
                                     request.stop_store.get_token()};
  TRY(request.store, session::open_run_store(host.files, places, request.workplace, streams));
  if (session::writes_to_store(places)) {
    request.open_store = [&host, &streams, places, workplace = request.workplace] {
      return session::open_run_store(host.files, places, workplace, streams);
    };
  }
  request.facts = session::result_facts(host, run, requested.plan_digest);
  request.workplace.variables.merge(session::remote_cache_variables(
      request.plan, {requested.store, run.gathered.scope.stores, host.directory, host.variables}));
  return {};
}

/// Empties a run that only compiles device code if the store has the wheels of its builds.
void drop_unneeded(session::RunRequest& request, const plan::Plan& builds, Streams& streams) {
  if (builds.steps.empty() || !request.store || request.store->empty()) return;
  const host::SearchedResults found = host::search_store({}, {.store = *request.store,
                                                              .plan = builds,
                                                              .facts = request.facts,
                                                              .output = request.workplace.output,
                                                              .files = host::ResultFiles::leave,
                                                              .log = request.workplace.log});
  if (!plan::missing_steps(builds, found.results, {}).empty()) return;
  request.plan.steps.clear();
  streams.note("the store has the wheel, so its device code is not needed\n");
}

/// The facts for the records of a release.
publish::ReleaseFacts release_facts(const prepare::RunScope& scope) {
  return {scope.loaded.matrix.package.name, scope.version.release_tag, scope.version.commit,
          scope.version.version.build};
}

/// The options that jobs get as well; the plan contains the others. Paths are absolute, because a
/// job may start in another directory.
std::vector<std::string> arguments_of_jobs(const prepare::Host& host,
                                           const prepare::RunOptions& options,
                                           const std::vector<store::PlaceDescription>& places) {
  std::vector<std::string> arguments;
  const std::string& network = options.levels.network;
  if (!network.empty()) arguments.insert(arguments.end(), {"--network", network});
  if (!options.checkpoints.empty()) {
    arguments.insert(arguments.end(), {"--checkpoints", host.at(options.checkpoints).string()});
  }
  for (store::PlaceDescription place : places) {
    if (!place.path.empty()) place.path = host.at(place.path).string();
    const char* const access = place.access == store::PlaceAccess::read_only ? ",ro" : "";
    arguments.insert(arguments.end(), {"--store", to_string(place) + access});
  }
  return arguments;
}

/// The text of the frozen plan of a run: its file, else what this run decided.
Result<std::string> frozen_text(const prepare::Host& host, const prepare::RunOptions& options,
                                const prepare::GatheredRun& run) {
  if (!options.plan_file.empty()) return host.files.read(host.at(options.plan_file));
  TRY(const plan::FrozenPlan frozen, prepare::freeze(host, run));
  TRY_DONE(plan::check_names(frozen));
  return plan::to_json(frozen);
}

/// Adds the cluster to a run with `--executor slurm`. `run` outlives the request.
Done add_cluster_to(session::RunRequest& request, const prepare::Host& host,
                    const prepare::RunOptions& options, const prepare::RunStore& store,
                    const prepare::PreparedRun& run, Streams& streams) {
  TRY(slurm::ExecutorSettings settings, prepare::read_configuration(host));
  TRY(const prepare::ExecutorKind kind, prepare::choose_executor(options, settings));
  if (kind == prepare::ExecutorKind::local) return {};
  std::vector<store::PlaceDescription> places = store.places;
  places.insert(places.end(), run.gathered.scope.stores.begin(), run.gathered.scope.stores.end());
  TRY_DONE(prepare::check_remote_run(options, places));
  TRY_DONE(prepare::check_caller(host.variables));
  if (!options.dry_run) {
    const prepare::OpenMachine machine = host.machine(prepare::outside_run(host, streams.log()));
    settings.slurm = prepare::within_limits(host, *machine, std::move(settings.slurm));
  }
  request.slurm = session::SlurmRequest{std::move(settings.slurm),
                                        [&] { return frozen_text(host, options, run.gathered); },
                                        arguments_of_jobs(host, options, store.places)};
  return {};
}

/// Rejects options that cannot apply before anything is resolved, which may take minutes.
Done check_options(const prepare::Host& host, const prepare::RunOptions& options) {
  if (const auto budget = prepare::budget_of(host.variables, options); !budget) {
    return fail(budget.error());
  }
  if (const auto end = prepare::end_of_time(options); !end) return fail(end.error());
  TRY(const slurm::ExecutorSettings settings, prepare::read_configuration(host));
  if (const auto kind = prepare::choose_executor(options, settings); !kind) {
    return fail(kind.error());
  }
  return {};
}

/// Runs `build`, `test` or `release` up to `stage`: load, gather, decide, run. `command` is its
/// name in the command line that repeats the run.
Result<int> run_stage(const prepare::Host& host, const prepare::GlobalOptions& all,
                      const prepare::RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams) {
  TRY_DONE(check_options(host, options));
  prepare::GlobalOptions global = all;
  global.named_files.push_back(options.plan_file);
  global.logs_dir = options.logs_dir;
  TRY(const prepare::RunStore store, prepare::read_run_store(options.store, host));
  for (std::string& path : prepare::directories_of(store.places)) {
    global.named_files.push_back(std::move(path));
  }
  TRY(const std::optional<prepare::PlanFile> frozen,
      prepare::read_frozen_plan(host.files, options.plan_file));
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix_of(host, options.selection.arguments, frozen));
  const prepare::RunCommand asked{global, options, choice, stage, frozen};
  TRY(prepare::RequestedRun requested, read_request(host, asked, streams));
  TRY(const auto changed, changed_steps(host, asked, store, requested.scope, streams));
  if (changed) {
    TRY(requested, only_changed(std::move(requested), *changed));
  }
  TRY(const auto accepted, parse_accepted(options.accept));
  TRY(prepare::PreparedRun run,
      prepare::prepare_run(host, requested.scope, requested.source, streams));
  const plan::Plan builds = plan::builds_of_device_code(run.plan, requested.steps);
  TRY(run.plan, requested_part(run.plan, options, requested.steps));
  if (changed && changed->empty()) run.plan.steps.clear();
  session::RunRequest request{run.plan, run.gathered.workplace,
                              repeat_command(global, command, choice)};
  request.workplace.accepted = accepted;
  request.workplace.token_file = options.token_file;
  TRY(request.workplace.variables,
      prepare::with_transfer(std::move(request.workplace.variables), options.transfer));
  if (options.insecure) request.workplace.plain_http = PlainHttp::allowed;
  request.workplace.on_upload = upload_notes(global, streams);
  request.workplace.mask = [&streams](const Secret& secret) { streams.mask(secret); };
  request.origin = [&] { return prepare::origin_of(host, run.gathered); };
  request.release = release_facts(run.gathered.scope);
  TRY_DONE(add_store_to(host, request, run,
                        {store, store_use_of(run.plan, options), requested.plan_digest}, streams));
  TRY_DONE(add_cluster_to(request, host, options, store, run, streams));
  // Not in a job on a cluster (`--reuse-only`), which was started to make this result.
  if (!options.reuse_only && !options.dry_run) drop_unneeded(request, builds, streams);
  if (options.reuse_only) {
    request.requested = session::requested_steps(run.plan, options, stage, requested.steps);
    if (stage == plan::Stage::publish) {
      TRY(request.unplaced, unplaced_tests(run));
    }
  }
  if (options.gate) TRY_DONE(add_gate_to(request, run, stage));
  return session::run_plan(host, global, options, request, streams);
}

}  // namespace

Result<int> cmd_build(const prepare::Host& host, const prepare::GlobalOptions& global,
                      const BuildCommand& options, Streams& streams) {
  return run_stage(host, global, options.run, plan::Stage::build, "build", streams);
}

Result<int> cmd_test(const prepare::Host& host, const prepare::GlobalOptions& global,
                     const TestCommand& options, Streams& streams) {
  return run_stage(host, global, options.run, plan::Stage::test, "test", streams);
}

Result<int> cmd_release(const prepare::Host& host, const prepare::GlobalOptions& global,
                        const ReleaseCommand& options, Streams& streams) {
  return run_stage(host, global, options.run, plan::Stage::publish, "release", streams);
}

}  // namespace pinwheel::cli
