#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands.h"
#include "host/run/journal_file.h"
#include "plan/step_id.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/one_variant.h"
#include "session/enter_step.h"
#include "store/domain.h"

namespace pinwheel::cli {
namespace {

const plan::Step& step_of(const plan::Plan& plan, plan::StepKind kind) {
  // Steps are in topological order, so the last match is the build or the test itself.
  const plan::Step* found = &plan.steps.back();
  for (const plan::Step& step : plan.steps) {
    if (plan::kind_of_step(step.id) == kind) found = &step;
  }
  return *found;
}

/// The earlier outcomes of the steps that a test needs.
Result<std::vector<plan::StepOutcome>> earlier_needs(const prepare::PreparedRun& run,
                                                     const plan::Step& step) {
  const host::Workplace& workplace = run.gathered.workplace;
  TRY(const store::Domain own, store::choose_domain({}, workplace.variables));
  TRY(const journal::History history, host::read_journal(workplace.state, own));
  std::vector<plan::StepOutcome> needs;
  for (const auto& [id, outcome] :
       plan::reuse(run.plan, prepare::find_results(run.plan, history))) {
    const bool needed = std::find(step.needs.begin(), step.needs.end(), id) != step.needs.end();
    if (needed) needs.push_back(outcome);
  }
  return needs;
}

std::string levels_text(const prepare::LevelOptions& levels, const plan::PlanOptions& options) {
  std::string text;
  if (levels.engine != env::Engine::host) text += fmt::format(" {}", to_string(levels.engine));
  if (options.python == env::PythonSource::conda) text += " conda";
  return text;
}

bool has_wheel(const std::vector<plan::StepOutcome>& needs) {
  return std::any_of(needs.begin(), needs.end(),
                     [](const plan::StepOutcome& need) { return !need.outputs.empty(); });
}

}  // namespace

Result<int> cmd_env_shell(const prepare::Host& host, const prepare::GlobalOptions& global,
                          const EnvShellOptions& options, Streams& streams) {
  const plan::Stage stage = options.test ? plan::Stage::test : plan::Stage::build;
  const prepare::UseLocks locks = options.no_lock ? prepare::UseLocks::no : prepare::UseLocks::yes;
  TRY(const prepare::PreparedRun run,
      prepare::prepare_variant(
          host, global,
          {"env shell", options.arguments, options.levels, stage, prepare::locks_or_indexes(locks)},
          streams));
  const prepare::RunScope& scope = run.gathered.scope;
  const std::string& variant = scope.outline.variants.front().id;
  const plan::Step& step =
      step_of(run.plan, options.test ? plan::StepKind::test : plan::StepKind::build);
  session::StepEntry entry{step,
                           fmt::format("{}{}{}", variant, options.test ? " test" : "",
                                       levels_text(options.levels, scope.options)),
                           options.command};
  if (options.test) {
    TRY(entry.needs, earlier_needs(run, step));
    if (!has_wheel(entry.needs)) {
      streams.note(fmt::format("there is no wheel of {} yet: `pinwheel build` builds it\n",
                               quoted(variant)));
    }
  }
  if (options.command.empty()) {
    streams.note(
        fmt::format("{}: a copy of the source and the {}'s environment; the copy and any files in "
                    "it are removed when the shell exits\n",
                    step.id, options.test ? "test" : "build"));
  }
  return session::enter_step(host, run.gathered.workplace, entry, streams);
}

}  // namespace pinwheel::cli
