#pragma once
#include <string>

#include "ci/workflow_facts.h"

// The jobs of a workflow as YAML, each indented as it stands below `jobs:`.

namespace pinwheel::ci {

/// `plan`: freezes the plan, or takes that of the first attempt, and gives the rows of the first
/// job of builds and of tests. `list-2`, ... give those of the others: GitHub takes 1 MB of outputs
/// from a job.
std::string plan_jobs(const WorkflowFacts& facts, WorkflowSet set);
/// The job that gives the rows of a chunk: "plan", "list-2"; those that must be over before the
/// rows are there; and all of them beside `plan`.
std::string lister(size_t chunk);
std::vector<std::string> listers(size_t chunk);
std::vector<std::string> further_listers(const WorkflowFacts& facts);
/// `build`, `build-2`, ...: a row is a distinct build or the sdist.
std::string build_jobs(const WorkflowFacts& facts, WorkflowSet set);
/// `test`, `test-2`, ...: a row is a test, which gets the result of its build alone.
std::string test_jobs(const WorkflowFacts& facts, WorkflowSet set);
/// `gate`, named `pinwheel`: the one required check.
std::string gate_job(const WorkflowFacts& facts, WorkflowSet set);
std::string gate_name(const WorkflowFacts& facts);
/// `publish-TARGET`, one after the other, each behind its environment; and after a nightly's,
/// `remember` (ci/idle.h).
std::string publish_jobs(const WorkflowFacts& facts, WorkflowSet set);

/// The ids of the jobs of a kind: "build", "build-2".
std::vector<std::string> job_ids(std::string_view kind, size_t chunks);

}  // namespace pinwheel::ci
