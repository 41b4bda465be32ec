#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ci/planned_workflow.h"

// Pipelines of GitLab CI/CD, from the same plan, jobs and rows as the workflows of GitHub Actions.
// Source: GitLab's CI/CD YAML syntax reference.

namespace pinwheel::ci {

/// The most jobs of rows in one pipeline, and in one child pipeline.
inline constexpr size_t kGitLabRowLimit = 200;

/// A file with a pipeline.
struct Pipeline {
  std::string name;  ///< of its file, "pinwheel-ci.yml"
  std::string text;
};

/// The directory of the files in a repository.
inline constexpr const char* kGitLabDirectory = ".gitlab";

/// The pipeline of a workflow: `plan`, a job for the device code of each architecture of a split
/// build, for each build and for each test, `gate` and the publications. Its jobs have names of
/// their own and rules for the events of the workflow, so that the pipelines of all workflows fit
/// into one configuration. A build or a test waits only for the jobs that it needs. A build that
/// may outlast its job has a chain of them. With more than `kGitLabRowLimit` builds and tests,
/// further files have child pipelines with the rows; their results reach the gate through
/// `ci.store` only, because GitLab does not pass artifacts from a child to its parent. `config` if
/// `ci.store` is missing. `version` is the release of pinwheel that the jobs install.
Result<std::vector<Pipeline>> gitlab_pipelines(const PlannedWorkflow& workflow,
                                               std::string_view version);

/// The lines of `.gitlab-ci.yml` that include the files with these names.
std::string gitlab_includes(const std::vector<std::string>& names);

/// What the pipelines of a workflow lack, compared with GitHub's: warnings for the settings that
/// have no effect in them.
std::vector<Error> gitlab_warnings(const PlannedWorkflow& workflow);

}  // namespace pinwheel::ci
