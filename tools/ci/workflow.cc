#include "ci/workflow.h"

#include <fmt/format.h>

#include "base/text.h"
#include "ci/idle.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/yaml_text.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kBeforeMatrix = "# Written by `pinwheel ci generate` from ";
constexpr std::string_view kAfterMatrix = "; `pinwheel ci check` finds what differs.";

constexpr std::string_view kHead = R"(
@WRITTEN@
# Your own lines between `# pinwheel: keep NAME` and `# pinwheel: end` are preserved.
name: @NAME@

on:
  @TRIGGERS@
  @KEEP_TRIGGERS@

permissions:
  contents: read

concurrency:
  @CONCURRENCY@

@KEEP_WORKFLOW@

jobs:
)";

std::string push_and_pull_request(const matrix::CiSettings& settings) {
  const std::string paths =
      settings.paths.empty() ? std::string() : "paths: " + yaml_list(settings.paths);
  return filled(R"(
push:
  branches: [main, master]
  @PATHS@
pull_request:
  @FILTER@
)",
                {{"PATHS", paths}, {"FILTER", decidable_paths(settings) ? std::string() : paths}});
}

std::string schedule(const matrix::CiSettings& settings) {
  return filled(R"(
schedule:
  - cron: @CRON@
workflow_dispatch:
)",
                {{"CRON", yaml_string(settings.nightly)}});
}

std::string tags(const matrix::CiSettings& settings) {
  return filled(R"(
push:
  tags: @TAGS@
workflow_dispatch:
  inputs:
    tag:
      description: the tag to release; if environments allow only tags, choose it under "Use workflow from", too
      required: true
      type: string
)",
                {{"TAGS", yaml_list(settings.tags)}});
}

std::string triggers(const matrix::CiSettings& settings, WorkflowSet set) {
  switch (set) {
    case WorkflowSet::ci:
      return push_and_pull_request(settings);
    case WorkflowSet::nightly:
      return schedule(settings);
    case WorkflowSet::release:
      return tags(settings);
  }
  return {};
}

// Without `queue`, a run that waits is canceled when the next arrives.
constexpr std::string_view kConcurrency = R"(
group: ${{ github.workflow }}-${{ @REF@ }}
cancel-in-progress: @CANCEL@
@QUEUE@
)";

/// Two releases of different tags run at the same time until they publish.
std::string concurrency(const WorkflowFacts& facts) {
  const bool release = facts.set == WorkflowSet::release;
  const bool outdated =
      facts.set == WorkflowSet::ci && facts.settings.concurrency == matrix::Outdated::cancel;
  return filled(kConcurrency,
                {{"REF", release ? kReleased : "github.ref"},
                 {"CANCEL", outdated ? "${{ github.event_name == 'pull_request' }}" : "false"},
                 {"QUEUE", release ? "queue: max" : ""}});
}

std::vector<Job> jobs_of(const WorkflowFacts& facts) {
  std::vector<Job> jobs = {plan_job(facts)};
  const auto append = [&jobs](const std::vector<Job>& more) {
    jobs.insert(jobs.end(), more.begin(), more.end());
  };
  append(list_jobs(facts));
  const std::vector<Job> devices = device_jobs(facts);
  append(devices);
  const std::vector<Job> builds = build_jobs(facts, devices);
  append(builds);
  append(test_jobs(facts, builds));
  jobs.push_back(gate_job(facts, jobs));
  if (facts.set == WorkflowSet::ci) {
    jobs.push_back(compare_job(facts, jobs));
    return jobs;
  }
  append(publish_jobs(facts));
  if (facts.set == WorkflowSet::nightly) jobs.push_back(remember_job(facts, jobs.back().id));
  return jobs;
}

}  // namespace

std::string workflow_name(const matrix::CiSettings& settings, WorkflowSet set) {
  if (settings.name.empty()) return fmt::format("pinwheel-{}", to_string(set));
  return fmt::format("pinwheel-{}-{}", settings.name, to_string(set));
}

std::string written_line(std::string_view matrix) {
  return fmt::format("{}{}{}", kBeforeMatrix, matrix, kAfterMatrix);
}

std::string written_from(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t end = line.find(kAfterMatrix);
  const bool generated = line.starts_with(kBeforeMatrix) && end != std::string_view::npos;
  if (!generated) return {};
  return std::string(line.substr(kBeforeMatrix.size(), end - kBeforeMatrix.size()));
}

std::string_view to_string(WorkflowSet set) {
  switch (set) {
    case WorkflowSet::ci:
      return "ci";
    case WorkflowSet::nightly:
      return "nightly";
    case WorkflowSet::release:
      break;
  }
  return "release";
}

Workflow make_workflow(const WorkflowFacts& facts) {
  return {workflow_name(facts.settings, facts.set), facts.matrix,
          triggers(facts.settings, facts.set), concurrency(facts), jobs_of(facts)};
}

std::string yaml_of(const Workflow& workflow) {
  std::vector<std::string> jobs;
  jobs.reserve(workflow.jobs.size());
  for (const Job& job : workflow.jobs) jobs.push_back(yaml_of(job));
  return filled(kHead, {{"WRITTEN", written_line(workflow.matrix)},
                        {"NAME", workflow.name},
                        {"TRIGGERS", workflow.triggers},
                        {"KEEP_TRIGGERS", own_lines("triggers")},
                        {"KEEP_WORKFLOW", own_lines("workflow")},
                        {"CONCURRENCY", workflow.concurrency}}) +
         join(jobs, "\n") + "\n" + filled("\n  @KEEP@", {{"KEEP", own_lines("jobs")}});
}

}  // namespace pinwheel::ci
