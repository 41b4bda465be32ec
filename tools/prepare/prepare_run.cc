#include "prepare/prepare_run.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "prepare/build_facts.h"
#include "prepare/check_build.h"
#include "prepare/collect_answers.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_environments.h"
#include "prepare/python_use.h"
#include "prepare/step_choice.h"
#include "prepare/workplace.h"

namespace pinwheel::prepare {
namespace {

/// The variables of the run or plan from which the packages come, if it has any.
std::optional<std::map<std::string, std::string>> recorded_variables(const PackageSource& source) {
  if (const auto* const frozen = std::get_if<FromFrozenPlan>(&source)) {
    return frozen->plan.variables;
  }
  if (const auto* const run = std::get_if<FromRun>(&source)) return run->origin.variables;
  return std::nullopt;
}

/// A frozen plan requires the same source.
Done check_source(const plan::PlanFacts& facts, const PackageSource& source) {
  const auto* const frozen = std::get_if<FromFrozenPlan>(&source);
  if (frozen == nullptr) return {};
  return plan::check_frozen(frozen->plan, frozen->matrix_digest, plan::source_digest(facts));
}

void warn_of_ignored_variables(const BuildFacts& build, ports::Notices& notices) {
  if (build.ignored.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : build.ignored) names.push_back(name);
  notices.note(fmt::format("{} {} ignored: the matrix has `build.arch-list`\n", quoted_list(names),
                           names.size() == 1 ? "is" : "are"));
}

/// Whether the run is only predicted: it runs nothing, and `plan` has already checked the checkout.
bool is_forecast(const PackageSource& source) {
  return std::holds_alternative<FromRecord>(source);
}

/// The checks before the environments of a run, and the Pythons that it fetches.
Done check_and_fetch(const Host& host, const RunScope& scope, const host::Workplace& workplace,
                     const BuildFacts& build, ports::Notices& notices) {
  TRY(const std::vector<const matrix::Variant*> built, built_variants(scope.loaded, scope.outline));
  TRY_DONE(check_build_requires(scope.loaded.matrix, built, notices));
  warn_of_ignored_variables(build, notices);
  return fetch_missing_pythons(host, scope, workplace, notices);
}

}  // namespace

Result<GatheredRun> gather_run(const Host& host, const RunScope& scope, const PackageSource& source,
                               ports::Notices& notices) {
  TRY(const host::Workplace workplace, make_workplace(host, scope, notices.log()));
  if (!is_forecast(source)) TRY_DONE(notices.log_into(workplace.logs));
  TRY(const BuildFacts build,
      gather_build_facts(host, scope, workplace, recorded_variables(source)));
  plan::PlanFacts facts = plan_facts(scope.version, build);
  TRY_DONE(check_source(facts, source));
  RunScope known = scope;
  known.loaded.matrix.build_requires = requires_of(scope.loaded.matrix, build);
  if (!is_forecast(source)) {
    TRY_DONE(check_and_fetch(host, known, workplace, build, notices));
  }
  facts.durations = earlier_durations(workplace.state);
  TRY(known.loaded.matrix,
      collect_answers({host, known, workplace, facts},
                      backend_questions(scope.loaded.matrix, build), source, notices));
  TRY(known, with_answered_needs(std::move(known)));
  TRY(PreparedEnvironments made,
      prepare_environments({host, known, workplace, facts}, source, notices));
  return GatheredRun{std::move(known), std::move(made.workplace), std::move(made.facts),
                     std::move(made.images), std::move(made.recorded)};
}

Result<PreparedRun> prepare_run(const Host& host, const RunScope& scope,
                                const PackageSource& source, ports::Notices& notices) {
  TRY(GatheredRun gathered, gather_run(host, scope, source, notices));
  TRY(plan::Plan plan, decide_plan(gathered.scope, gathered.facts));
  return PreparedRun{std::move(gathered), std::move(plan)};
}

}  // namespace pinwheel::prepare
