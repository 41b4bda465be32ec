#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "ci/job_rows.h"
#include "ci/workflow_facts.h"
#include "matrix/expand.h"
#include "matrix/matrix.h"
#include "plan/outline.h"
#include "plan/runner_labels.h"

namespace pinwheel::ci {

/// The rows of the jobs of a workflow, the longest first. Unlike GitHub's, pipelines of other
/// services list them in their files.
struct WorkflowRows {
  std::vector<JobRow> devices = {};  ///< the device code of split builds
  std::vector<JobRow> builds = {};   ///< distinct builds and sdists
  std::vector<JobRow> tests = {};    ///< those that have a runner
  std::vector<JobRow> installs = {};
};

/// A workflow generated from a matrix.
struct PlannedWorkflow {
  WorkflowFacts facts;     ///< all but the facts of the checkout
  WorkflowRows rows = {};  ///< of its plan
  std::vector<Error> warnings =
      {};  ///< requirements that its jobs cannot meet, such as the evidence of tests
  std::vector<plan::UnreachableEvidence> unreachable = {};  ///< of its tests
};

/// The sets with these names, else all whose channel the matrix declares, and always `ci`. `config`
/// if the matrix lacks the channel of a named set.
Result<std::vector<WorkflowSet>> sets_of(const matrix::Matrix& matrix,
                                         const std::vector<std::string>& names);

/// The channel for which a set plans; empty: by git.
std::string channel_of(const matrix::Matrix& matrix, WorkflowSet set);

/// The workflow of a set. `outline` is the selection of its channel; `matrix_path` is the path of
/// the matrix in its repository. Pure.
Result<PlannedWorkflow> plan_workflow(const matrix::Matrix& matrix,
                                      const matrix::Expansion& expansion,
                                      const plan::Outline& outline, WorkflowSet set,
                                      const std::filesystem::path& matrix_path);

/// How the job of a target authenticates: by the setting of the matrix, else the default for its
/// kind. A directory needs no credentials.
PublishAuth auth_of(const matrix::PublishTarget& target);

/// Whether the index is for trying out a release, so that its job runs before the others.
bool is_trial(matrix::TargetKind kind);

}  // namespace pinwheel::ci
