#include "cli/ci_workflows.h"

#include <utility>

#include "prepare/check_channels.h"

namespace pinwheel::cli {

Result<std::vector<ci::PlannedWorkflow>> planned_workflows(
    const prepare::Loaded& loaded, const std::vector<std::string>& names,
    const std::filesystem::path& matrix_path) {
  TRY(const std::vector<ci::WorkflowSet> sets, ci::sets_of(loaded.matrix, names));
  TRY_DONE(prepare::check_channels(loaded, {}, {prepare::kAnyVersion}));
  std::vector<ci::PlannedWorkflow> workflows;
  for (const ci::WorkflowSet set : sets) {
    prepare::SelectionOptions selection;
    selection.channel = ci::channel_of(loaded.matrix, set);
    TRY(const plan::Outline outline,
        prepare::select_outline(loaded, selection, {}, selection.channel));
    TRY(ci::PlannedWorkflow workflow,
        ci::plan_workflow(loaded.matrix, loaded.expansion, outline, set, matrix_path));
    workflows.push_back(std::move(workflow));
  }
  return workflows;
}

}  // namespace pinwheel::cli
