#pragma once
#include <string>
#include <vector>

#include "ci/job.h"
#include "ci/workflow_facts.h"

// The kinds of jobs in workflows, in the order of the file.

namespace pinwheel::ci {

/// `plan`: freezes the plan, or downloads that of the first attempt, and outputs the rows of the
/// first job of each kind.
Job plan_job(const WorkflowFacts& facts);
/// `list-2`, ...: output the rows of the other jobs, because GitHub limits the outputs of a job to
/// 1 MB.
std::vector<Job> list_jobs(const WorkflowFacts& facts);
/// The job that outputs the rows of a chunk of builds, tests or installations: "plan", "list-2".
std::string lister(size_t chunk);
/// The same for a chunk of device code. If a workflow has installations, the outputs of the jobs
/// above have no room for device code, so further jobs follow.
std::string device_lister(const WorkflowFacts& facts, size_t chunk);
/// `device`, `device-2`, ...: a row is the device code of a split build for one architecture. A row
/// whose wheel is in a store does nothing.
std::vector<Job> device_jobs(const WorkflowFacts& facts);
/// `build`, `build-2`, ...: a row is a distinct build or the sdist. It receives the results of
/// `devices`, and does not start if one of these failed. With builds that outlast their job,
/// `build-then-2`, `build-then-3`, ... follow each: they have the same rows, and continue what is
/// unfinished.
std::vector<Job> build_jobs(const WorkflowFacts& facts, const std::vector<Job>& devices);
/// `test`, `test-2`, ...: a row is a test, which receives only the result of its build.
std::vector<Job> test_jobs(const WorkflowFacts& facts, const std::vector<Job>& builds);
/// `gate`, named `pinwheel`: the one required check, after all jobs before it.
Job gate_job(const WorkflowFacts& facts, const std::vector<Job>& before);
/// `compare`, after the gate: on a push it stores the number of the run; in a pull request it
/// compares the results with those of the last such run of the base branch, if they are still
/// there.
Job compare_job(const WorkflowFacts& facts, const std::vector<Job>& before);
/// `publish-TARGET`, one after the other, each behind its environment. If the release is promoted,
/// `install-TARGET`, `install-TARGET-2`, ... follow the first: a row is an installation, without
/// identity and secrets.
std::vector<Job> publish_jobs(const WorkflowFacts& facts);
/// `remember`, after the job `last` of a nightly: stores its fingerprint for the next (ci/idle.h).
Job remember_job(const WorkflowFacts& facts, const std::string& last);

}  // namespace pinwheel::ci
