#include "ci/explained_jobs.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"

namespace pinwheel::ci {
namespace {

constexpr int kHalfHour = 30;

ExplainedJob explained_plan() {
  return {"plan",
          "plan",
          "it decides the version, the packages and the jobs once for all of them",
          JobRunner::hosted,
          2,
          kHalfHour,
          {}};
}

std::vector<ExplainedJob> explained_lists(const WorkflowFacts& facts) {
  std::vector<ExplainedJob> jobs;
  for (const std::string& id : further_listers(facts)) {
    jobs.push_back({id,
                    "list part " + id.substr(id.find('-') + 1),
                    "the outputs of one job only have room for the rows of `build` and `test`",
                    JobRunner::hosted,
                    1,
                    kHalfHour,
                    {"plan"}});
  }
  return jobs;
}

std::vector<ExplainedJob> explained_builds(const WorkflowFacts& facts) {
  std::vector<ExplainedJob> jobs;
  size_t chunk = 0;
  for (const std::string& id : job_ids("build", facts.build_chunks)) {
    jobs.push_back({id, id, "it has a row for each distinct build and for the sdist",
                    JobRunner::of_builds, 0, std::stoi(minutes_of(facts)), listers(++chunk)});
  }
  return jobs;
}

std::vector<ExplainedJob> explained_tests(const WorkflowFacts& facts) {
  std::vector<ExplainedJob> jobs;
  const std::vector<std::string> builds = job_ids("build", facts.build_chunks);
  size_t chunk = 0;
  for (const std::string& id : job_ids("test", facts.test_chunks)) {
    std::vector<std::string> needs = listers(++chunk);
    needs.insert(needs.end(), builds.begin(), builds.end());
    jobs.push_back({id, id, "it has a row for each test that has a runner", JobRunner::of_tests, 0,
                    std::stoi(minutes_of(facts)), std::move(needs)});
  }
  return jobs;
}

/// The gate needs all that are before it.
ExplainedJob explained_gate(const WorkflowFacts& facts, const std::vector<ExplainedJob>& before) {
  std::vector<std::string> needs;
  needs.reserve(before.size());
  for (const ExplainedJob& job : before) needs.push_back(job.id);
  return {"gate",
          gate_name(facts),
          "it fails on anything that is missing; require this one check",
          JobRunner::hosted,
          2,
          kHalfHour,
          std::move(needs)};
}

std::vector<ExplainedJob> explained_publications(const WorkflowFacts& facts) {
  std::vector<ExplainedJob> jobs;
  std::string before = "gate";
  for (const PublishJob& job : facts.publish) {
    std::string because =
        fmt::format("the channel {} publishes to {}", quoted(facts.channel), quoted(job.target));
    if (!job.environment.empty()) {
      because += fmt::format(", behind the environment {}", quoted(job.environment));
    }
    jobs.push_back({"publish-" + job.target,
                    "publish to " + job.target,
                    std::move(because),
                    JobRunner::hosted,
                    2,
                    std::stoi(minutes_of(facts)),
                    {before}});
    before = jobs.back().id;
  }
  return jobs;
}

ExplainedJob explained_memory(const std::string& last) {
  return {"remember",
          "remember this night",
          "a nightly with the same commit and packages stops after its plan",
          JobRunner::hosted,
          1,
          10,
          {"plan", last}};
}

std::vector<ExplainedJob> joined(const std::vector<std::vector<ExplainedJob>>& parts) {
  std::vector<ExplainedJob> jobs;
  for (const std::vector<ExplainedJob>& part : parts) {
    jobs.insert(jobs.end(), part.begin(), part.end());
  }
  return jobs;
}

}  // namespace

std::vector<ExplainedJob> explained_jobs(const WorkflowFacts& facts, WorkflowSet set) {
  std::vector<ExplainedJob> jobs = joined({{explained_plan()},
                                           explained_lists(facts),
                                           explained_builds(facts),
                                           explained_tests(facts)});
  jobs.push_back(explained_gate(facts, jobs));
  if (set == WorkflowSet::ci) return jobs;
  jobs = joined({jobs, explained_publications(facts)});
  if (set == WorkflowSet::nightly) jobs.push_back(explained_memory(jobs.back().id));
  return jobs;
}

}  // namespace pinwheel::ci
