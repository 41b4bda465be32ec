#include "cli/run_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "plan/subplan.h"
#include "prepare/check_abi.h"
#include "prepare/check_frozen.h"
#include "prepare/check_version.h"
#include "prepare/checkout_state.h"
#include "prepare/frozen_run.h"
#include "prepare/frozen_scope.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/no_target.h"
#include "prepare/package_directory.h"
#include "prepare/prepare_run.h"
#include "prepare/step_choice.h"
#include "prepare/store_places.h"
#include "prepare/transfer.h"
#include "prepare/workplace.h"
#include "report/job_rows.h"
#include "session/reuse_only.h"
#include "session/run_plan.h"
#include "session/run_store.h"
#include "session/upload_notes.h"

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

/// A target that is named again is the same target.
std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  }
  return once;
}

/// The request on the command line: a run, the source of its packages, and the steps of it that
/// are wanted; none: all.
struct Asked {
  prepare::RunScope scope;
  prepare::PackageSource source;
  std::vector<std::string> steps = {};
};

/// A run of what this checkout, the matrix and the command line say.
Result<Asked> fresh_request(const prepare::Host& host, const prepare::GlobalOptions& global,
                            const prepare::RunOptions& options, const prepare::MatrixChoice& choice,
                            plan::Stage stage, Streams& streams) {
  const prepare::Warnings warnings =
      options.selection.strict ? prepare::Warnings::refuse : prepare::Warnings::tell;
  TRY(const prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, warnings));
  const std::vector<std::string> targets =
      stage == plan::Stage::publish ? each_once(options.targets) : std::vector<std::string>();
  TRY(const prepare::VersionFacts version,
      prepare::gather_version_facts(host, loaded, options.selection.channel, targets,
                                    streams.log()));
  TRY(const plan::Outline outline,
      prepare::select_outline(loaded, options.selection, choice.globs, version.channel));
  prepare::warn_of_lacking_files(host, loaded, streams);
  TRY_DONE(prepare::check_project_version(host, loaded, outline, version, streams));
  const prepare::Publishing publishing =
      stage == plan::Stage::publish ? prepare::Publishing::yes : prepare::Publishing::no;
  TRY_DONE(prepare::check_head_tag(host, loaded, version, publishing, streams));
  TRY_DONE(prepare::check_project_abi(host, loaded, outline, streams));
  TRY(prepare::RunScope scope, prepare::up_to(stage, {global, loaded, outline, options.levels,
                                                      version, prepare::TestImageUse::prepare}));
  const prepare::Refresh refresh = options.refresh ? prepare::Refresh::yes : prepare::Refresh::no;
  return Asked{std::move(scope),
               prepare::locks_or_indexes(
                   options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes, refresh),
               options.steps};
}

/// The checkout may have got a tag since its plan was frozen.
Done check_tag_again(const prepare::Host& host, const prepare::RunScope& scope, Streams& streams) {
  TRY(const std::filesystem::path directory, prepare::package_directory(host, scope.loaded.matrix));
  const Result<ports::GitFacts> checkout = host.git.facts(directory, ports::WorkTree::ignore);
  // The plan is of another commit, or there is no repository: its files are compared later.
  if (!checkout || checkout->commit != scope.version.commit) return {};
  prepare::VersionFacts version = scope.version;
  TRY(version.tag, prepare::tag_on_head(*checkout, scope.loaded.matrix.package));
  return prepare::check_head_tag(host, scope.loaded, version, prepare::Publishing::yes, streams);
}

/// A run of what a frozen plan says.
Result<Asked> frozen_request(const prepare::Host& host, const prepare::GlobalOptions& global,
                             const prepare::RunOptions& options,
                             const prepare::MatrixChoice& choice, plan::Stage stage,
                             const plan::FrozenPlan& frozen, Streams& streams) {
  TRY(const std::string matrix, host.files.read(choice.path, limits::kMatrix));
  TRY(prepare::RunScope scope,
      prepare::frozen_scope(
          host.files, {global, options.selection, options.levels, choice, stage, frozen}, streams));
  TRY_DONE(prepare::check_checkout(host, scope.loaded, frozen));
  if (stage == plan::Stage::publish) {
    TRY_DONE(prepare::check_has_channel(scope.loaded, options.selection, choice.globs, frozen));
    TRY_DONE(check_tag_again(host, scope, streams));
  }
  TRY(std::vector<std::string> steps, prepare::publications(frozen, options.targets));
  steps.insert(steps.end(), options.steps.begin(), options.steps.end());
  const prepare::Refresh refresh = options.refresh ? prepare::Refresh::yes : prepare::Refresh::no;
  return Asked{std::move(scope), prepare::FromFrozenPlan{frozen, sha256_hex(matrix), refresh},
               std::move(steps)};
}

Result<Asked> read_request(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const prepare::RunOptions& options, const prepare::MatrixChoice& choice,
                           plan::Stage stage, const std::optional<plan::FrozenPlan>& frozen,
                           Streams& streams) {
  TRY_DONE(prepare::check_step_choice(options, choice.globs));
  TRY_DONE(session::check_reuse_options(options, stage));
  TRY(Asked asked, frozen ? frozen_request(host, global, options, choice, stage, *frozen, streams)
                          : fresh_request(host, global, options, choice, stage, streams));
  const prepare::VersionFacts& version = asked.scope.version;
  if (stage == plan::Stage::publish && version.targets.empty()) {
    const matrix::Matrix& matrix = asked.scope.loaded.matrix;
    if (!version.publishes_nowhere) {
      return fail(frozen ? prepare::no_target(*frozen) : prepare::no_target(matrix, version));
    }
    streams.note(prepare::nowhere_line(version.channel));
    TRY(asked.scope, prepare::up_to(plan::Stage::test, std::move(asked.scope)));
  }
  TRY(asked.scope, prepare::narrowed_to_steps(std::move(asked.scope), asked.steps));
  // Without a plan, the keys of what is reused depend on everything that is prepared.
  if (options.reuse_only && frozen) {
    TRY(asked.scope, session::carrying_only(std::move(asked.scope), options, stage, asked.steps));
  }
  return asked;
}

/// The digest of the file of a frozen plan; empty without one.
Result<std::string> digest_of_plan(ports::Files& files, const std::string& file) {
  if (file.empty()) return std::string();
  TRY(const std::string text, files.read(file));
  return sha256_hex(text);
}

bool is_publication(const plan::Step& step) {
  return std::holds_alternative<plan::Publish>(step.action);
}

std::vector<plan::Step> publications_of(const plan::Plan& plan) {
  std::vector<plan::Step> publications;
  std::copy_if(plan.steps.begin(), plan.steps.end(), std::back_inserter(publications),
               is_publication);
  return publications;
}

/// The publications that the tests of a run are made for, with the evidence that they require of
/// these tests.
Result<std::vector<plan::Step>> publications_behind(const prepare::PreparedRun& run) {
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
  TRY(const std::vector<report::WorkflowJob> tests,
      report::workflow_jobs(run.plan, scope.outline, scope.loaded.expansion.variants,
                            scope.loaded.matrix.ci, report::Rows::tests));
  std::vector<std::string> unplaced;
  for (const report::WorkflowJob& test : tests) {
    if (!test.runner) unplaced.push_back(test.step);
  }
  return unplaced;
}

/// What a gate asks for.
Done add_gate_to(session::RunRequest& request, const prepare::PreparedRun& run, plan::Stage stage) {
  if (stage == plan::Stage::test) {
    TRY(request.gate, publications_behind(run));
    request.gate_holds = "the tests have the evidence that publishing requires";
    return {};
  }
  request.gate_holds = "everything is there, with the required evidence; nothing was published";
  request.gate = publications_of(run.plan);
  std::erase_if(request.plan.steps, is_publication);
  return {};
}

/// The part of the plan that is asked for. A release that only reuses does not need what it
/// withholds.
Result<plan::Plan> asked_part(const plan::Plan& plan, const prepare::RunOptions& options,
                              std::vector<std::string> steps) {
  if (steps.empty() && options.reuse_only) {
    for (const plan::Step& step : publications_of(plan)) steps.push_back(step.id);
  }
  if (steps.empty()) return plan;
  return plan::subplan(plan, steps);
}

/// A gate publishes nothing.
session::StoreUse store_use_of(const plan::Plan& plan, const prepare::RunOptions& options) {
  return publications_of(plan).empty() || options.gate ? session::StoreUse::keep
                                                       : session::StoreUse::publish;
}

/// What does the same once more: the command line as it was given, because what it lacks (a plan, a
/// target, a store) would publish something else.
std::string same_again(const prepare::GlobalOptions& global, const std::string& command,
                       const prepare::MatrixChoice& choice) {
  if (!global.arguments.empty()) return shell_join(global.arguments);
  return shell_join({command, choice.path});
}

/// The store of the run, what it tells it, and what it only reuses.
Done add_store_to(const prepare::Host& host, session::RunRequest& request,
                  const prepare::PreparedRun& run, const prepare::RunOptions& options,
                  Streams& streams) {
  TRY(request.store,
      session::open_run_store(host.files,
                              {options.store, run.gathered.scope.loaded.matrix,
                               store_use_of(run.plan, options), request.stop_store.get_token()},
                              request.workplace, streams));
  TRY(std::string digest, digest_of_plan(host.files, options.plan_file));
  request.facts = session::result_facts(host, run, std::move(digest));
  return {};
}

}  // namespace

Result<int> run_stage(const prepare::Host& host, const prepare::GlobalOptions& all,
                      const prepare::RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams) {
  prepare::GlobalOptions global = all;
  global.named_files.push_back(options.plan_file);
  TRY_DONE(prepare::check_store_options(options.store, host.variables));
  TRY(const auto places, prepare::named_places(options.store, host.variables));
  for (std::string& path : prepare::directories_of(places))
    global.named_files.push_back(std::move(path));
  TRY(const std::optional<plan::FrozenPlan> frozen,
      prepare::read_frozen_plan(host.files, options.plan_file));
  TRY(const prepare::MatrixChoice choice,
      prepare::choose_matrix_of(host, options.selection.arguments, frozen));
  TRY(const Asked asked, read_request(host, global, options, choice, stage, frozen, streams));
  TRY_DONE(
      prepare::matrix_places(asked.scope.loaded.matrix, host.variables).map([](const auto&) {}));
  TRY(const auto accepted, parse_accepted(options.accept));
  TRY(prepare::PreparedRun run, prepare::prepare_run(host, asked.scope, asked.source, streams));
  TRY(run.plan, asked_part(run.plan, options, asked.steps));
  session::RunRequest request{run.plan, run.gathered.workplace,
                              same_again(global, command, choice)};
  request.workplace.accepted = accepted;
  request.workplace.token_file = options.token_file;
  TRY(request.workplace.variables,
      prepare::with_transfer(std::move(request.workplace.variables), options.transfer));
  if (options.insecure) request.workplace.plain_http = PlainHttp::allowed;
  request.workplace.on_upload = session::upload_notes(global, streams);
  request.workplace.mask = [&streams](const Secret& secret) { streams.mask(secret); };
  request.origin = [&] { return prepare::origin_of(host, run.gathered); };
  TRY_DONE(add_store_to(host, request, run, options, streams));
  if (options.reuse_only) {
    request.requested = session::requested_steps(run.plan, options, stage, asked.steps);
    if (stage == plan::Stage::publish) {
      TRY(request.unplaced, unplaced_tests(run));
    }
  }
  if (options.gate) TRY_DONE(add_gate_to(request, run, stage));
  return session::run_plan(host, global, options, request, streams);
}

}  // namespace pinwheel::cli
