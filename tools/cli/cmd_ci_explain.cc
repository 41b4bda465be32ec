#include "base/text.h"
#include "ci/explain.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_run.h"
#include "prepare/read_scope.h"

namespace pinwheel::cli {
namespace {

/// The workflow of a channel, else all.
Result<std::vector<ci::PlannedWorkflow>> workflows_of(const prepare::Loaded& loaded,
                                                      const std::string& channel) {
  std::vector<std::string> names;
  for (const ci::WorkflowSet set : ci::kWorkflowSets) {
    if (channel == ci::to_string(set)) names.push_back(channel);
  }
  return planned_workflows(loaded, names, loaded.matrix.file);
}

/// Device code, then builds, tests and installations.
Result<std::vector<ci::JobRow>> rows_of(const prepare::GlobalOptions& global,
                                        const prepare::RunScope& scope) {
  plan::PlanFacts facts = prepare::plan_facts(scope.version, {});
  facts.durations = prepare::earlier_durations(global.state_dir);
  TRY(const plan::Plan plan, prepare::decide_plan(scope, facts));
  std::vector<ci::JobRow> rows;
  for (const ci::Rows kind :
       {ci::Rows::devices, ci::Rows::builds, ci::Rows::tests, ci::Rows::installs}) {
    TRY(const std::vector<ci::JobRow> some,
        ci::job_rows(plan, scope.outline, scope.loaded.expansion.variants, scope.loaded.matrix.ci,
                     kind));
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return rows;
}

}  // namespace

Result<int> cmd_ci_explain(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const CiExplainOptions& options, Streams& streams) {
  TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, options.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, "`ci explain` takes one job",
                "write its name in quotes: pinwheel ci explain 'build cpu'");
  }
  TRY(prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, prepare::Warnings::print));
  TRY(const std::vector<ci::PlannedWorkflow> workflows, workflows_of(loaded, options.channel));
  prepare::SelectionOptions selection;
  selection.channel = options.channel;
  const prepare::LevelOptions levels;
  const prepare::MatrixChoice whole_matrix{choice.path, {}};
  prepare::ScopeRequest request{global, whole_matrix, selection, levels, plan::Stage::publish};
  request.images = prepare::TestImageUse::prepare;
  TRY(const prepare::RunScope scope,
      prepare::scope_of(host, request, std::move(loaded), streams.log()));
  TRY(const std::vector<ci::JobRow> rows, rows_of(global, scope));
  TRY(const ci::Explanation explanation,
      ci::explain(choice.globs.front(), workflows, rows, scope.outline));
  for (const Error& warning : explanation.warnings) streams.warn(warning);
  if (options.json) {
    streams.json(explanation.json.dump(2) + "\n");
  } else {
    streams.lines(explanation.text);
  }
  return 0;
}

}  // namespace pinwheel::cli
