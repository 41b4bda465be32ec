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
#include "cli/check_abi.h"
#include "cli/check_frozen.h"
#include "cli/check_version.h"
#include "cli/checkout_state.h"
#include "cli/frozen_run.h"
#include "cli/frozen_scope.h"
#include "cli/load.h"
#include "cli/no_target.h"
#include "cli/package_directory.h"
#include "cli/prepare_run.h"
#include "cli/reuse_only.h"
#include "cli/run_plan.h"
#include "cli/run_store.h"
#include "cli/step_choice.h"
#include "cli/transfer.h"
#include "cli/upload_notes.h"
#include "cli/workplace.h"
#include "host/git/git.h"
#include "host/system/files.h"
#include "plan/subplan.h"
#include "report/job_rows.h"

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
  RunScope scope;
  PackageSource source;
  std::vector<std::string> steps = {};
};

/// A run of what this checkout, the matrix and the command line say.
Result<Asked> fresh_request(const GlobalOptions& global, const RunOptions& options,
                            const MatrixChoice& choice, plan::Stage stage, Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  const Warnings warnings = options.selection.strict ? Warnings::refuse : Warnings::tell;
  TRY(const Loaded loaded, load_matrix(files, choice.path, streams, warnings));
  const std::vector<std::string> targets =
      stage == plan::Stage::publish ? each_once(options.targets) : std::vector<std::string>();
  TRY(const VersionFacts version,
      gather_version_facts(files, git, loaded, options.selection.channel, targets, streams.log()));
  TRY(const plan::Outline outline,
      select_outline(loaded, options.selection, choice.globs, version.channel));
  warn_of_lacking_files(files, git, loaded, streams);
  TRY_DONE(check_project_version(files, loaded, outline, version, streams));
  const Publishing publishing = stage == plan::Stage::publish ? Publishing::yes : Publishing::no;
  TRY_DONE(check_head_tag(files, loaded, version, publishing, streams));
  TRY_DONE(check_project_abi(files, loaded, outline, streams));
  TRY(RunScope scope,
      up_to(stage, {global, loaded, outline, options.levels, version, TestImageUse::prepare}));
  const Refresh refresh = options.refresh ? Refresh::yes : Refresh::no;
  return Asked{std::move(scope),
               locks_or_indexes(options.no_lock ? UseLocks::no : UseLocks::yes, refresh),
               options.steps};
}

/// The checkout may have got a tag since its plan was frozen.
Done check_tag_again(ports::Files& files, const RunScope& scope, Streams& streams) {
  host::LibGit2 git;
  TRY(const std::filesystem::path directory, package_directory(scope.loaded.matrix));
  const Result<ports::GitFacts> checkout = git.facts(directory, ports::WorkTree::ignore);
  // The plan is of another commit, or there is no repository: its files are compared later.
  if (!checkout || checkout->commit != scope.version.commit) return {};
  VersionFacts version = scope.version;
  TRY(version.tag, tag_on_head(*checkout, scope.loaded.matrix.package));
  return check_head_tag(files, scope.loaded, version, Publishing::yes, streams);
}

/// A run of what a frozen plan says.
Result<Asked> frozen_request(const GlobalOptions& global, const RunOptions& options,
                             const MatrixChoice& choice, plan::Stage stage,
                             const plan::FrozenPlan& frozen, Streams& streams) {
  host::LocalFiles files;
  TRY(const std::string matrix, files.read(choice.path, limits::kMatrix));
  TRY(RunScope scope,
      frozen_scope({global, options.selection, options.levels, choice, stage, frozen}, streams));
  host::LibGit2 git;
  TRY_DONE(check_checkout(files, git, scope.loaded, frozen));
  if (stage == plan::Stage::publish) {
    TRY_DONE(check_has_channel(scope.loaded, options.selection, choice.globs, frozen));
    TRY_DONE(check_tag_again(files, scope, streams));
  }
  TRY(std::vector<std::string> steps, publications(frozen, options.targets));
  steps.insert(steps.end(), options.steps.begin(), options.steps.end());
  const Refresh refresh = options.refresh ? Refresh::yes : Refresh::no;
  return Asked{std::move(scope), FromFrozenPlan{frozen, sha256_hex(matrix), refresh},
               std::move(steps)};
}

Result<Asked> read_request(const GlobalOptions& global, const RunOptions& options,
                           const MatrixChoice& choice, plan::Stage stage,
                           const std::optional<plan::FrozenPlan>& frozen, Streams& streams) {
  TRY_DONE(check_step_choice(options, choice.globs));
  TRY_DONE(check_reuse_options(options, stage));
  TRY(Asked asked, frozen ? frozen_request(global, options, choice, stage, *frozen, streams)
                          : fresh_request(global, options, choice, stage, streams));
  const VersionFacts& version = asked.scope.version;
  if (stage == plan::Stage::publish && version.targets.empty()) {
    const matrix::Matrix& matrix = asked.scope.loaded.matrix;
    if (!version.publishes_nowhere) {
      return fail(frozen ? no_target(*frozen) : no_target(matrix, version));
    }
    streams.note(nowhere_line(version.channel));
    TRY(asked.scope, up_to(plan::Stage::test, std::move(asked.scope)));
  }
  TRY(asked.scope, narrowed_to_steps(std::move(asked.scope), asked.steps));
  // Without a plan, the keys of what is reused depend on everything that is prepared.
  if (options.reuse_only && frozen) {
    TRY(asked.scope, carrying_only(std::move(asked.scope), options, stage, asked.steps));
  }
  return asked;
}

/// The digest of the file of a frozen plan; empty without one.
Result<std::string> digest_of_plan(const std::string& file) {
  if (file.empty()) return std::string();
  host::LocalFiles files;
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
Result<std::vector<plan::Step>> publications_behind(const PreparedRun& run) {
  TRY(const RunScope scope, up_to(plan::Stage::publish, run.gathered.scope));
  TRY(const plan::Plan whole, decide_plan(scope, run.gathered.facts));
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
Result<std::vector<std::string>> unplaced_tests(const PreparedRun& run) {
  const RunScope& scope = run.gathered.scope;
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
Done add_gate_to(RunRequest& request, const PreparedRun& run, plan::Stage stage) {
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
Result<plan::Plan> asked_part(const plan::Plan& plan, const RunOptions& options,
                              std::vector<std::string> steps) {
  if (steps.empty() && options.reuse_only) {
    for (const plan::Step& step : publications_of(plan)) steps.push_back(step.id);
  }
  if (steps.empty()) return plan;
  return plan::subplan(plan, steps);
}

/// A gate publishes nothing.
StoreUse store_use_of(const plan::Plan& plan, const RunOptions& options) {
  return publications_of(plan).empty() || options.gate ? StoreUse::keep : StoreUse::publish;
}

/// What does the same once more: the command line as it was given, because what it lacks (a plan, a
/// target, a store) would publish something else.
std::string same_again(const GlobalOptions& global, const std::string& command,
                       const MatrixChoice& choice) {
  if (!global.arguments.empty()) return shell_join(global.arguments);
  return shell_join({command, choice.path});
}

/// The store of the run, what it tells it, and what it only reuses.
Done add_store_to(RunRequest& request, const PreparedRun& run, const RunOptions& options,
                  Streams& streams) {
  TRY(request.store, open_run_store(options.store, store_use_of(run.plan, options),
                                    run.gathered.scope.loaded.matrix, request.workplace,
                                    request.stop_store.get_token(), streams));
  TRY(std::string digest, digest_of_plan(options.plan_file));
  request.facts = result_facts(run, std::move(digest));
  return {};
}

}  // namespace

Result<int> run_stage(const GlobalOptions& all, const RunOptions& options, plan::Stage stage,
                      const std::string& command, Streams& streams) {
  host::LocalFiles files;
  GlobalOptions global = all;
  global.named_files.push_back(options.plan_file);
  TRY_DONE(check_store_options(options.store, user_variables()));
  TRY(const auto places, named_places(options.store, user_variables()));
  for (std::string& path : directories_of(places)) global.named_files.push_back(std::move(path));
  host::LibGit2 git;
  TRY(const std::optional<plan::FrozenPlan> frozen, read_frozen_plan(files, options.plan_file));
  TRY(const MatrixChoice choice, choose_matrix_of(files, git, options.selection.arguments, frozen));
  TRY(const Asked asked, read_request(global, options, choice, stage, frozen, streams));
  TRY_DONE(matrix_places(asked.scope.loaded.matrix, user_variables()).map([](const auto&) {}));
  TRY(const auto accepted, parse_accepted(options.accept));
  TRY(PreparedRun run, prepare_run(asked.scope, asked.source, streams));
  TRY(run.plan, asked_part(run.plan, options, asked.steps));
  RunRequest request{run.plan, run.gathered.workplace, same_again(global, command, choice)};
  request.workplace.accepted = accepted;
  request.workplace.token_file = options.token_file;
  TRY(request.workplace.variables,
      with_transfer(std::move(request.workplace.variables), options.transfer));
  if (options.insecure) request.workplace.plain_http = PlainHttp::allowed;
  request.workplace.on_upload = upload_notes(global, streams);
  request.workplace.mask = [&streams](const Secret& secret) { streams.mask(secret); };
  request.origin = [&] { return origin_of(files, git, run.gathered); };
  TRY_DONE(add_store_to(request, run, options, streams));
  if (options.reuse_only) {
    request.requested = requested_steps(run.plan, options, stage, asked.steps);
    if (stage == plan::Stage::publish) {
      TRY(request.unplaced, unplaced_tests(run));
    }
  }
  if (options.gate) TRY_DONE(add_gate_to(request, run, stage));
  return run_plan(global, options, request, streams);
}

}  // namespace pinwheel::cli
