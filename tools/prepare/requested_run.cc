#include "prepare/requested_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "plan/step_id.h"
#include "prepare/check_abi.h"
#include "prepare/check_version.h"
#include "prepare/checkout_state.h"
#include "prepare/frozen_run.h"
#include "prepare/load.h"
#include "prepare/no_target.h"
#include "prepare/step_choice.h"

namespace pinwheel::prepare {
namespace {

/// The names without duplicates, in order.
std::vector<std::string> each_once(const std::vector<std::string>& names) {
  std::vector<std::string> once;
  for (const std::string& name : names) {
    if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
  }
  return once;
}

Refresh asked_refresh(const RunOptions& options) {
  return options.refresh ? Refresh::yes : Refresh::no;
}

ScopeRequest scope_request(const RunCommand& command) {
  ScopeRequest request{command.global, command.choice, command.options.selection,
                       command.options.levels, command.stage};
  request.images = TestImageUse::prepare;
  return request;
}

/// A run of the current checkout, with the matrix and the command line.
Result<RequestedRun> fresh_run(const Host& host, const RunCommand& command,
                               ports::Notices& notices) {
  const RunOptions& options = command.options;
  const bool publish = command.stage == plan::Stage::publish;
  ScopeRequest request = scope_request(command);
  if (publish) request.targets = each_once(options.targets);
  TRY(RunScope scope, read_scope(host, request, notices));
  const Loaded& loaded = scope.loaded;
  warn_of_missing_files(host, loaded, notices);
  TRY_DONE(check_project_version(host, loaded, scope.outline, scope.version, notices));
  TRY_DONE(check_head_tag(host, loaded, scope.version, publish ? Publishing::yes : Publishing::no,
                          notices));
  TRY_DONE(check_project_abi(host, loaded, scope.outline, notices));
  const UseLocks locks = options.no_lock ? UseLocks::no : UseLocks::yes;
  return RequestedRun{std::move(scope), locks_or_indexes(locks, asked_refresh(options)),
                      options.steps};
}

/// Repeats the check of the tag: the checkout may have got one since its plan was frozen.
Done check_tag_again(const Host& host, const RunScope& scope, ports::Notices& notices) {
  TRY(const std::filesystem::path directory, package_directory(host, scope.loaded.matrix));
  const Result<ports::GitFacts> checkout = host.git.facts(directory, ports::WorkTree::ignore);
  // The plan is of another commit, or there is no repository. The files are compared later.
  if (!checkout || checkout->commit != scope.version.commit) return {};
  VersionFacts version = scope.version;
  TRY(version.tag, tag_on_head(*checkout, scope.loaded.matrix.package));
  return check_head_tag(host, scope.loaded, version, Publishing::yes, notices);
}

/// A run of a frozen plan.
Result<RequestedRun> frozen_run(const Host& host, const RunCommand& command, const PlanFile& file,
                                ports::Notices& notices) {
  const RunOptions& options = command.options;
  const plan::FrozenPlan& frozen = file.plan;
  ScopeRequest request = scope_request(command);
  request.frozen = &frozen;
  TRY(RunScope scope, read_scope(host, request, notices));
  TRY_DONE(check_checkout(host, scope.loaded, frozen));
  if (command.stage == plan::Stage::publish) {
    TRY_DONE(check_has_channel(scope.loaded, options.selection, command.choice.globs, frozen));
    TRY_DONE(check_tag_again(host, scope, notices));
  }
  TRY(std::vector<std::string> steps, publications(frozen, options.targets));
  steps.insert(steps.end(), options.steps.begin(), options.steps.end());
  FromFrozenPlan source{frozen, scope.loaded.digest(), asked_refresh(options)};
  return RequestedRun{std::move(scope), std::move(source), std::move(steps), file.digest};
}

/// Adds the targets. A release without one is an error, unless its channel publishes nowhere.
Result<RunScope> with_target(RunScope scope, const RunCommand& command, ports::Notices& notices) {
  const VersionFacts& version = scope.version;
  if (command.stage != plan::Stage::publish || !version.targets.empty()) return scope;
  if (!version.publishes_nowhere) {
    return fail(command.frozen ? no_target(command.frozen->plan)
                               : no_target(scope.loaded.matrix, version));
  }
  notices.note(nowhere_line(version.channel));
  return up_to(plan::Stage::test, std::move(scope));
}

}  // namespace

Result<RequestedRun> read_run(const Host& host, const RunCommand& command,
                              ports::Notices& notices) {
  TRY(RequestedRun requested, command.frozen ? frozen_run(host, command, *command.frozen, notices)
                                             : fresh_run(host, command, notices));
  TRY(requested.scope, with_target(std::move(requested.scope), command, notices));
  TRY(requested.scope, narrowed_to_steps(std::move(requested.scope), requested.steps));
  return requested;
}

Result<std::vector<std::string>> publications(const plan::FrozenPlan& frozen,
                                              const std::vector<std::string>& targets) {
  std::vector<std::string> steps;
  for (const std::string& target : targets) {
    if (std::find(frozen.targets.begin(), frozen.targets.end(), target) == frozen.targets.end()) {
      return fail(ErrorKind::usage, fmt::format("the plan has no target {}", quoted(target)),
                  frozen.targets.empty() ? "it was frozen for a channel that publishes nowhere"
                                         : suggest(target, frozen.targets));
    }
    steps.push_back(plan::publish_id(target));
  }
  return steps;
}

}  // namespace pinwheel::prepare
