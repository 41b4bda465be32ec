#include "prepare/step_choice.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "plan/step_id.h"
#include "plan/subplan.h"
#include "prepare/plan_facts.h"
#include "prepare/prepared_run.h"

namespace pinwheel::prepare {
namespace {

std::string selecting_option(const SelectionOptions& selection,
                             const std::vector<std::string>& globs) {
  if (!globs.empty()) return globs.front();
  if (!selection.only.empty()) return "--only";
  if (!selection.selectors.empty()) return "--select";
  if (!selection.skip.empty()) return "--skip";
  if (!selection.status.empty()) return "--status";
  return selection.shard.empty() ? "" : "--shard";
}

bool comes_later(const std::string& step, plan::Stage stage) {
  const std::optional<plan::StepKind> kind = plan::kind_of_step(step);
  const bool test = kind == plan::StepKind::test;
  const bool publish = plan::publishes(step);
  return (stage == plan::Stage::build && (test || publish)) ||
         (stage == plan::Stage::test && publish);
}

}  // namespace

const env::Request* request_of(const plan::Action& action) {
  if (const auto* const build = plan::build_run_by(action)) return &build->environment;
  if (const auto* const sdist = std::get_if<plan::BuildSdist>(&action)) return &sdist->environment;
  if (const auto* const test = std::get_if<plan::TestWheel>(&action)) return &test->environment;
  if (const auto* const each = std::get_if<plan::InstallWheel>(&action)) return &each->environment;
  return nullptr;
}

namespace {

/// The request of a step that only makes an environment or a toolkit; nullptr for others.
const env::Request* prepared_request(const plan::Action& action) {
  const auto* const made = std::get_if<plan::CreateEnvironment>(&action);
  if (made != nullptr) return &made->request;
  const auto* const toolkit = std::get_if<plan::MakeToolkit>(&action);
  return toolkit == nullptr ? nullptr : &toolkit->request;
}

}  // namespace

ExecutedPart executed_part(const plan::Plan& plan, const std::set<std::string>& steps) {
  ExecutedPart all;
  for (const plan::Step& step : plan.steps) {
    if (!steps.contains(step.id)) continue;
    const env::Request* request = request_of(step.action);
    if (request != nullptr) all.steps.insert(step.id);
    if (request == nullptr) request = prepared_request(step.action);
    if (request == nullptr) continue;
    all.containers.insert(container::digest(request->container));
    all.requests.insert(env::digest(*request));
    const auto* const build = std::get_if<plan::BuildWheel>(&step.action);
    if (build != nullptr && !build->checked_in.python.empty()) {
      all.requests.insert(env::digest(build->checked_in));
    }
  }
  return all;
}

Result<RunScope> with_answered_needs(RunScope scope) {
  const matrix::Matrix& matrix = scope.loaded.matrix;
  const bool same = matrix.backend_answers.empty() && matrix.build_requires.empty();
  if (!scope.executed || same) return scope;
  TRY(const plan::Plan plan, decide_plan(scope, plan_facts(scope.version, {})));
  scope.executed = executed_part(plan, scope.executed->steps);
  return scope;
}

Done check_step_choice(const RunOptions& options, const std::vector<std::string>& globs) {
  const std::string other = selecting_option(options.selection, globs);
  if (options.steps.empty() || other.empty()) return {};
  return fail(ErrorKind::usage, fmt::format("`--step` and {} exclude each other", quoted(other)),
              "`--step` runs exactly the named steps and their dependencies");
}

Result<RunScope> narrowed_to_steps(RunScope scope, const std::vector<std::string>& steps) {
  if (steps.empty()) return scope;
  for (const std::string& step : steps) {
    if (!comes_later(step, scope.options.stage)) continue;
    return fail(ErrorKind::usage, fmt::format("this command does not run {}", quoted(step)),
                plan::kind_of_step(step) == plan::StepKind::test
                    ? "use `pinwheel test` or `pinwheel release`"
                    : "use `pinwheel release`");
  }
  TRY(const plan::Plan whole, decide_plan(scope, plan_facts(scope.version, {})));
  TRY(const plan::Plan part, plan::subplan(whole, steps));
  std::set<std::string> needed;
  for (const plan::Step& step : part.steps) needed.insert(step.id);
  scope.executed = executed_part(whole, needed);
  scope.outline =
      plan::make_outline(scope.loaded.classes, plan::variants_of_steps(scope.outline, steps));
  return scope;
}

}  // namespace pinwheel::prepare
