#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/workflow_facts.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "plan/outline.h"
#include "plan/runner_labels.h"

namespace pinwheel::ci {

/// A workflow that a matrix gives.
struct PlannedWorkflow {
  WorkflowFacts facts;               ///< all but those of the checkout
  std::vector<Error> warnings = {};  ///< what its jobs cannot do, such as the evidence of tests
  std::vector<plan::UnreachableEvidence> unreachable = {};  ///< of its tests
};

/// The sets with these names, else all whose channel the matrix declares, and always `ci`. `config`
/// if one is named whose channel the matrix lacks.
Result<std::vector<WorkflowSet>> sets_of(const matrix::Matrix& matrix,
                                         const std::vector<std::string>& names);

/// The channel that a set plans; empty: by git.
std::string channel_of(const matrix::Matrix& matrix, WorkflowSet set);

/// The workflow of a set. `outline` is what its channel selects; `matrix_path` is that of the
/// matrix in its repository. Pure.
Result<PlannedWorkflow> plan_workflow(const matrix::Matrix& matrix,
                                      const matrix::Expansion& expansion,
                                      const plan::Outline& outline, WorkflowSet set,
                                      const std::filesystem::path& matrix_path);

/// How the job of a target authenticates: as the matrix says, else as is usual for its kind. A
/// directory takes no credentials.
PublishAuth auth_of(const matrix::PublishTarget& target);

/// Whether the index is there to try a release out, so that its job runs before the others.
bool is_trial(matrix::TargetKind kind);

}  // namespace pinwheel::ci
