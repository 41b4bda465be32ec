#include "cli/foresee.h"

#include "cli/earlier_results.h"
#include "cli/levels.h"
#include "cli/prepare_containers.h"
#include "host/steps/journal_file.h"

namespace pinwheel::cli {

Result<std::optional<Foreseen>> foresee(const GlobalOptions& global, const LevelOptions& levels,
                                        const Loaded& loaded, const plan::Outline& outline,
                                        Facts facts) {
  std::error_code absent;
  if (!std::filesystem::exists(global.state_dir, absent)) return std::nullopt;
  TRY(const journal::History history, host::read_journal(global.state_dir));
  if (history.latest.empty() && history.unfinished.empty()) return std::nullopt;
  TRY(host::Workplace workplace, make_workplace(global, loaded));
  TRY_DONE(gather_build_facts(loaded, workplace, facts));
  const plan::Stage stage = facts.targets.empty() ? plan::Stage::test : plan::Stage::publish;
  TRY(const plan::PlanOptions options, plan_options(stage, facts.targets, levels));
  const Done recalled = recall_containers({loaded, outline, options}, levels, workplace, facts);
  // Without its engine nothing is known of a container, and a plan is a plan all the same.
  if (!recalled && recalled.error().kind == ErrorKind::environment) return std::nullopt;
  TRY_DONE(recalled);
  Foreseen foreseen;
  TRY(foreseen.environments, gather_recorded({loaded, outline, options}, workplace, facts));
  TRY(foreseen.plan,
      plan::make_plan(loaded.matrix, loaded.expansion, outline, facts.plan, options));
  foreseen.steps =
      journal::forecast(foreseen.plan, history, digest_outputs(foreseen.plan, history));
  return foreseen;
}

}  // namespace pinwheel::cli
