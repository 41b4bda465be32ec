#include "session/reuse_only.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "plan/known_results.h"
#include "plan/step_id.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_run.h"
#include "prepare/step_choice.h"

namespace pinwheel::session {
namespace {

bool requested_by_itself(const std::string& step, plan::Stage stage) {
  switch (stage) {
    case plan::Stage::build:
      break;
    case plan::Stage::test:
      return plan::kind_of_step(step) == plan::StepKind::test;
    case plan::Stage::publish:
      return plan::publishes(step);
  }
  return false;
}

Done exclude(const char* one, const char* other, const char* hint) {
  return fail(ErrorKind::usage,
              fmt::format("{} and {} exclude each other", quoted(one), quoted(other)), hint);
}

}  // namespace

std::set<std::string> requested_steps(const plan::Plan& plan, const prepare::RunOptions& options,
                                      plan::Stage stage, const std::vector<std::string>& named) {
  if (!named.empty()) return {named.begin(), named.end()};
  std::set<std::string> requested;
  const bool only_a_gate = options.gate && stage == plan::Stage::publish;
  if (only_a_gate) return requested;
  for (const plan::Step& step : plan.steps) {
    if (requested_by_itself(step.id, stage)) requested.insert(step.id);
  }
  return requested;
}

Done check_reuse_options(const prepare::RunOptions& options, plan::Stage stage) {
  if (options.dry_run && options.reuse_only) {
    return exclude("--dry-run", "--reuse-only", "a dry run looks nothing up");
  }
  if (!options.gate) return {};
  if (options.dry_run) return exclude("--dry-run", "--gate", "a gate publishes nothing anyway");
  if (!options.targets.empty()) {
    return exclude("--target", "--gate", "a gate checks every target of the run");
  }
  if (!options.steps.empty() && stage == plan::Stage::publish) {
    return exclude("--step", "--gate", "a gate checks the whole release");
  }
  return {};
}

Result<prepare::RunScope> executing_only(prepare::RunScope scope,
                                         const prepare::RunOptions& options, plan::Stage stage,
                                         const std::vector<std::string>& named) {
  TRY(const plan::Plan whole, prepare::decide_plan(scope, prepare::plan_facts(scope.version, {})));
  const std::set<std::string> requested = requested_steps(whole, options, stage, named);
  scope.executed = prepare::executed_part(whole, requested);
  return scope;
}

plan::Results with_unplaced(const plan::Plan& plan, plan::Results results,
                            const std::vector<std::string>& unplaced) {
  for (const plan::SearchableStep& open : plan::searchable_steps(plan, results)) {
    if (std::ranges::find(unplaced, open.step->id) == unplaced.end()) continue;
    plan::StepOutcome skipped;
    skipped.id = open.step->id;
    skipped.key = open.key;
    skipped.parts = open.parts;
    skipped.state = plan::StepState::skipped;
    skipped.reason = "no job of a workflow runs it: `ci.runners.test` names no runner for it";
    results[{open.step->id, open.key}] = std::move(skipped);
  }
  return results;
}

namespace {

/// The command that makes the result of a step.
std::string command_for(const std::string& step, const std::string& options) {
  const bool test = plan::kind_of_step(step) == plan::StepKind::test;
  const char* const verb = test ? "test" : plan::publishes(step) ? "release" : "build";
  std::string words = options.empty() ? "" : " " + options;
  return fmt::format("pinwheel {}{} --step {}", verb, words, shell_quote(step));
}

}  // namespace

std::map<std::string, Error> missing_results(const plan::Plan& plan, const plan::Results& results,
                                             const Searched& searched) {
  std::map<std::string, Error> missing;
  for (const std::string& step : plan::missing_steps(plan, results, searched.requested)) {
    missing[step] = Error{ErrorKind::check, fmt::format("{} has no result in {}", quoted(step),
                                                        join(searched.places, ", "))}
                        .with_hint(quoted(command_for(step, searched.options)));
  }
  return missing;
}

}  // namespace pinwheel::session
