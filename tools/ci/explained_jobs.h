#pragma once
#include <string>
#include <vector>

#include "ci/workflow_facts.h"

namespace pinwheel::ci {

inline constexpr const char* kHostedRunner = "ubuntu-24.04";

/// Where a job runs: on `kHostedRunner`, or where each of its rows does.
enum class JobRunner { hosted, of_builds, of_tests };

/// What there is to say of a job of a workflow.
struct ExplainedJob {
  std::string id;    ///< "publish-pypi"
  std::string name;  ///< that people see: "publish to pypi"; of jobs with rows the id
  std::string because;
  JobRunner runner = JobRunner::hosted;
  int minutes = 1;                 ///< about how long it takes; of jobs with rows nothing
  int limit = 30;                  ///< after how many minutes it is ended
  std::vector<std::string> needs;  ///< ids of the jobs that it waits for
};

/// The jobs of a workflow, in the order of its file.
std::vector<ExplainedJob> explained_jobs(const WorkflowFacts& facts, WorkflowSet set);

}  // namespace pinwheel::ci
