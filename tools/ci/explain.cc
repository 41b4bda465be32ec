#include "ci/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "ci/workflow.h"
#include "plan/step_id.h"

namespace pinwheel::ci {
namespace {

using ExplainedJson = nlohmann::ordered_json;

/// A job without its rows, and the workflows that contain it.
struct WorkflowJob {
  Job job;
  std::vector<std::string> workflows;
  std::vector<Error> warnings = {};  ///< of these workflows, if the job's success depends on them
};

/// Whether the job fails if tests have too little evidence.
bool depends_on_tests(const Job& job) {
  return job.id == "gate" || job.id.starts_with("publish-") || job.runner == JobRunner::of_tests ||
         job.runner == JobRunner::of_installs;
}

std::vector<WorkflowJob> workflow_jobs(const std::vector<PlannedWorkflow>& workflows) {
  std::vector<WorkflowJob> jobs;
  for (const PlannedWorkflow& planned : workflows) {
    const Workflow workflow = make_workflow(planned.facts);
    for (const Job& job : workflow.jobs) {
      const std::vector<Error> warnings =
          depends_on_tests(job) ? planned.warnings : std::vector<Error>();
      const auto known = std::ranges::find_if(
          jobs, [&](const WorkflowJob& each) { return each.job.id == job.id; });
      if (known == jobs.end()) {
        jobs.push_back({job, {workflow.name}, warnings});
      } else {
        known->workflows.push_back(workflow.name);
        known->warnings.insert(known->warnings.end(), warnings.begin(), warnings.end());
      }
    }
  }
  return jobs;
}

/// The runners and the time of a job.
struct JobCost {
  std::vector<std::vector<std::string>> runners = {};  ///< each once
  int minutes = 0;                                     ///< of the longest row
};

/// The kind of the job with that row.
JobRunner runner_for(const JobRow& row) {
  switch (plan::kind_of_step(row.step).value_or(plan::StepKind::build)) {
    case plan::StepKind::test:
      return JobRunner::of_tests;
    case plan::StepKind::install:
      return JobRunner::of_installs;
    case plan::StepKind::device:
      return JobRunner::of_devices;
    case plan::StepKind::environment:
    case plan::StepKind::toolkit:
    case plan::StepKind::build:
    case plan::StepKind::sdist:
    case plan::StepKind::publish:
      break;
  }
  return JobRunner::of_builds;
}

/// A job without rows has one runner and its own time.
JobCost cost_of(const Job& job, const std::vector<JobRow>& rows) {
  if (job.runner == JobRunner::hosted) return {{{kHostedRunner}}, job.minutes};
  JobCost cost;
  for (const JobRow& row : rows) {
    if (!row.runner || job.runner != runner_for(row)) continue;
    cost.minutes = std::max(cost.minutes, row.minutes);
    if (std::ranges::find(cost.runners, *row.runner) == cost.runners.end()) {
      cost.runners.push_back(*row.runner);
    }
  }
  return cost;
}

ExplainedJson json_of(const WorkflowJob& whole, const JobCost& cost) {
  ExplainedJson runners = ExplainedJson::array();
  for (const std::vector<std::string>& labels : cost.runners) {
    runners.push_back(runner_json(labels));
  }
  std::vector<std::string> messages;
  messages.reserve(whole.warnings.size());
  for (const Error& warning : whole.warnings) messages.push_back(warning.message);
  return {
      {"job", whole.job.name},    {"id", whole.job.id},           {"because", whole.job.because},
      {"runners", runners},       {"minutes", cost.minutes},      {"limit", whole.job.limit},
      {"needs", whole.job.needs}, {"workflows", whole.workflows}, {"warnings", messages}};
}

std::string text_of(const WorkflowJob& whole, const JobCost& cost) {
  std::vector<std::string> runners;
  for (const std::vector<std::string>& labels : cost.runners) {
    runners.push_back(join(labels, ", "));
  }
  return fmt::format(
      "{}\n  because   {}\n  runner    {}\n  minutes   {}, at most {}\n  after     {}\n"
      "  in        {}\n",
      whole.job.name, whole.job.because, join(runners, "\n            "), cost.minutes,
      whole.job.limit, whole.job.needs.empty() ? "nothing" : join(whole.job.needs, ", "),
      join(whole.workflows, ", "));
}

/// The row with that name. `names` are those of the jobs.
Result<JobRow> find_row(const std::vector<JobRow>& rows, const std::string& name,
                        std::vector<std::string> names) {
  for (const JobRow& row : rows) {
    if (name != row.step && name != row.name && name != row.artifact) {
      names.push_back(row.step);
      continue;
    }
    if (row.runner) return row;
    return fail(ErrorKind::usage, fmt::format("{} gets no job", quoted(name)),
                "name a runner that has a GPU: `ci: {runners: {test: {\"cuda/*\": [LABEL]}}}`");
  }
  return fail(ErrorKind::usage, fmt::format("no job is named {}", quoted(name)),
              suggest(name, names));
}

/// The requirements of publications that the runner of a row cannot meet, without duplicates.
std::vector<Error> row_warnings(const JobRow& row, const std::vector<PlannedWorkflow>& workflows) {
  std::vector<plan::UnreachableEvidence> tests;
  for (const PlannedWorkflow& workflow : workflows) {
    for (const plan::UnreachableEvidence& each : workflow.unreachable) {
      const bool known = std::ranges::find(tests, each) != tests.end();
      if (each.test == row.step && !known) tests.push_back(each);
    }
  }
  return plan::unreachable_warnings(tests);
}

/// Why a row exists, and for which variants.
struct RowReason {
  std::vector<std::string> variants;  ///< served by a build; for a test its own
  std::string because;
};

RowReason reason_of(const JobRow& row, const plan::Outline& outline) {
  const bool device_code = plan::compiles_device_code(row.step);
  const std::string build = device_code ? plan::build_of_device_code(row.step) : row.step;
  for (const plan::BuildGroup& group : outline.builds) {
    if (build != plan::build_id(group.cls.id)) continue;
    if (device_code) {
      return {group.tests,
              "`build.split` compiles the device code of each architecture in a job of its own"};
    }
    return {group.tests, fmt::format("{} cannot differ in their binaries, so one build serves them",
                                     plural(group.tests.size(), "variant"))};
  }
  if (plan::kind_of_step(row.step) == plan::StepKind::install) {
    return {{row.variant},
            "the release is installed with the oldest and the newest Python of each compute before "
            "it is promoted"};
  }
  return {{row.variant},
          row.step == plan::sdist_id() ? "`package.sdist` asks for it"
          : plan::is_sdist(row.step)   ? "`family.sdist` asks for it"
                                       : "every variant that the channel selects is tested"};
}

ExplainedJson json_of(const JobRow& row, const RowReason& reason) {
  return {{"job", row.name},
          {"step", row.step},
          {"because", reason.because},
          {"runner", runner_json(*row.runner)},
          {"minutes", row.minutes},
          {"needs", row.needs},
          {"variants", reason.variants}};
}

std::string text_of(const JobRow& row, const RowReason& reason) {
  return fmt::format(
      "{}\n  because   {}\n  runner    {}\n  minutes   {}\n  after     {}\n  variants  {}\n",
      row.name, reason.because, join(*row.runner, ", "), row.minutes,
      row.needs.empty() ? "plan" : "plan, " + join(row.needs, ", "),
      join(reason.variants, "\n            "));
}

}  // namespace

Result<Explanation> explain(const std::string& name, const std::vector<PlannedWorkflow>& workflows,
                            const std::vector<JobRow>& rows, const plan::Outline& outline) {
  std::vector<std::string> names;
  for (const WorkflowJob& whole : workflow_jobs(workflows)) {
    if (name == whole.job.id || name == whole.job.name) {
      const JobCost cost = cost_of(whole.job, rows);
      return Explanation{text_of(whole, cost), json_of(whole, cost), whole.warnings};
    }
    names.push_back(whole.job.id);
  }
  TRY(const JobRow row, find_row(rows, name, std::move(names)));
  const RowReason reason = reason_of(row, outline);
  return Explanation{text_of(row, reason), json_of(row, reason), row_warnings(row, workflows)};
}

}  // namespace pinwheel::ci
