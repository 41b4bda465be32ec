#include "cli/prepare_run.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/backend_requires.h"
#include "cli/build_facts.h"
#include "cli/built_variants.h"
#include "cli/check_build.h"
#include "cli/earlier_results.h"
#include "cli/plan_facts.h"
#include "cli/prepare_environments.h"
#include "cli/python_use.h"
#include "cli/recorded_run.h"
#include "cli/step_choice.h"
#include "cli/workplace.h"

namespace pinwheel::cli {
namespace {

/// The variables of the run or plan that the packages come from, if it has some.
std::optional<std::map<std::string, std::string>> recorded_variables(const PackageSource& source) {
  if (const auto* const frozen = std::get_if<FromFrozenPlan>(&source)) {
    return frozen->plan.variables;
  }
  if (const auto* const run = std::get_if<FromRun>(&source)) return run->origin.variables;
  return std::nullopt;
}

/// A frozen plan requires the same source.
Done check_source(const BuildFacts& build, const PackageSource& source) {
  const auto* const frozen = std::get_if<FromFrozenPlan>(&source);
  if (frozen == nullptr) return {};
  return plan::check_frozen(frozen->plan, frozen->matrix_digest, build.source.digest);
}

void tell_ignored(const BuildFacts& build, Streams& streams) {
  if (build.ignored.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : build.ignored) names.push_back(name);
  streams.note(fmt::format("{} {} ignored: the matrix has `build.arch-list`\n", quoted_list(names),
                           names.size() == 1 ? "is" : "are"));
}

}  // namespace

Result<plan::Plan> decide_plan(const RunScope& scope, const plan::PlanFacts& facts) {
  return plan::make_plan(scope.loaded.matrix, scope.loaded.expansion, scope.outline, facts,
                         scope.options);
}

Result<GatheredRun> gather_run(const RunScope& scope, const PackageSource& source,
                               Streams& streams) {
  TRY(const host::Workplace workplace,
      make_workplace(scope.global, scope.loaded, scope.levels.engine, streams.log()));
  // A forecast runs nothing.
  if (!std::holds_alternative<FromRecord>(source)) {
    TRY_DONE(begin_log(workplace, streams.diagnostics()));
  }
  TRY(const BuildFacts build,
      gather_build_facts(scope.loaded, workplace, recorded_variables(source)));
  TRY_DONE(check_source(build, source));
  RunScope known = scope;
  known.loaded.matrix.build_requires = build.build_requires.texts;
  // Before a forecast, `plan` has looked at the checkout.
  if (!std::holds_alternative<FromRecord>(source)) {
    TRY(const std::vector<const matrix::Variant*> built,
        built_variants(known.loaded, known.outline));
    TRY_DONE(check_build_requires(known.loaded.matrix, built, streams));
    tell_ignored(build, streams);
    TRY_DONE(fetch_missing_pythons(known, workplace, streams));
  }
  plan::PlanFacts facts = plan_facts(scope.version, build);
  facts.durations = earlier_durations(workplace.state);
  TRY(known.loaded.matrix,
      ask_backends({known, workplace, facts}, build.build_requires.question, source, streams));
  TRY(known, carried_after_answers(std::move(known)));
  TRY(PreparedEnvironments made, prepare_environments({known, workplace, facts}, source, streams));
  return GatheredRun{std::move(known), std::move(made.workplace), std::move(made.facts),
                     std::move(made.images), std::move(made.recorded)};
}

Result<PreparedRun> prepare_run(const RunScope& scope, const PackageSource& source,
                                Streams& streams) {
  TRY(GatheredRun gathered, gather_run(scope, source, streams));
  TRY(plan::Plan plan, decide_plan(gathered.scope, gathered.facts));
  return PreparedRun{std::move(gathered), std::move(plan)};
}

}  // namespace pinwheel::cli
