#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text.h"
#include "ci/explained_jobs.h"
#include "ci/job_rows.h"
#include "cli/ci_workflows.h"
#include "cli/commands.h"
#include "plan/step_id.h"
#include "prepare/earlier_results.h"
#include "prepare/host.h"
#include "prepare/load.h"
#include "prepare/plan_facts.h"
#include "prepare/prepare_run.h"
#include "prepare/read_scope.h"

namespace pinwheel::cli {
namespace {

Result<plan::Plan> plan_of(const prepare::GlobalOptions& global, const prepare::RunScope& scope) {
  plan::PlanFacts facts = prepare::plan_facts(scope.version, {});
  facts.durations = prepare::earlier_durations(global.state_dir);
  return prepare::decide_plan(scope, facts);
}

/// Builds, then tests.
Result<std::vector<ci::JobRow>> jobs_of(const prepare::RunScope& scope, const plan::Plan& plan) {
  std::vector<ci::JobRow> jobs;
  for (const ci::Rows kind : {ci::Rows::builds, ci::Rows::tests}) {
    TRY(const std::vector<ci::JobRow> some,
        ci::job_rows(plan, scope.outline, scope.loaded.expansion.variants, scope.loaded.matrix.ci,
                     kind));
    jobs.insert(jobs.end(), some.begin(), some.end());
  }
  return jobs;
}

/// A job of a workflow as a whole, and the workflows that have it.
struct WholeJob {
  ci::ExplainedJob job;
  std::vector<std::string> workflows;
  std::vector<Error> warnings = {};  ///< of these workflows, if the job's success depends on them
};

/// Whether the job stops at tests with too little evidence.
bool depends_on_tests(const ci::ExplainedJob& job) {
  return job.id == "gate" || job.id.starts_with("publish-") ||
         job.runner == ci::JobRunner::of_tests;
}

/// The workflow of a channel, else all.
Result<std::vector<PlannedWorkflow>> workflows_of(const prepare::Loaded& loaded,
                                                  const std::string& channel) {
  std::vector<std::string> names;
  for (const ci::WorkflowSet set : ci::kWorkflowSets) {
    if (channel == ci::to_string(set)) names.push_back(channel);
  }
  return planned_workflows(loaded, names, loaded.matrix.file);
}

std::vector<WholeJob> whole_jobs(const std::vector<PlannedWorkflow>& workflows) {
  std::vector<WholeJob> jobs;
  for (const auto& [set, facts, warnings, unreachable] : workflows) {
    const std::string workflow = ci::workflow_name(facts.settings, set);
    for (ci::ExplainedJob& job : ci::explained_jobs(facts, set)) {
      const auto known =
          std::ranges::find_if(jobs, [&](const WholeJob& each) { return each.job.id == job.id; });
      const std::vector<Error> told = depends_on_tests(job) ? warnings : std::vector<Error>();
      if (known == jobs.end()) {
        jobs.push_back({std::move(job), {workflow}, told});
      } else {
        known->workflows.push_back(workflow);
        known->warnings.insert(known->warnings.end(), told.begin(), told.end());
      }
    }
  }
  return jobs;
}

/// The one that a person means by its id, or by the name that GitHub shows.
std::optional<WholeJob> find_whole(const std::vector<WholeJob>& jobs, const std::string& name) {
  const auto found = std::ranges::find_if(
      jobs, [&](const WholeJob& each) { return name == each.job.id || name == each.job.name; });
  return found == jobs.end() ? std::nullopt : std::optional(*found);
}

/// The job that a person means by its name, by its step or by its artifact. `names` are those of
/// other jobs.
Result<ci::JobRow> find_job(const std::vector<ci::JobRow>& jobs, const std::string& name,
                            std::vector<std::string> names) {
  for (const ci::JobRow& job : jobs) {
    if (name != job.step && name != job.name && name != job.artifact) {
      names.push_back(job.step);
      continue;
    }
    if (job.runner) return job;
    return fail(ErrorKind::usage, fmt::format("{} gets no job", quoted(name)),
                "name a runner that has a GPU: `ci: {runners: {test: {\"cuda/*\": [LABEL]}}}`");
  }
  return fail(ErrorKind::usage, fmt::format("no job is named {}", quoted(name)),
              suggest(name, names));
}

/// What the job's runner cannot give to the publications of the workflows, each once.
std::vector<Error> warnings_of(const ci::JobRow& job,
                               const std::vector<PlannedWorkflow>& workflows) {
  std::vector<plan::UnreachableEvidence> tests;
  for (const PlannedWorkflow& workflow : workflows) {
    for (const plan::UnreachableEvidence& each : workflow.unreachable) {
      const bool known = std::ranges::find(tests, each) != tests.end();
      if (each.test == job.step && !known) tests.push_back(each);
    }
  }
  return plan::unreachable_warnings(tests);
}

/// What `ci explain` says of a job.
struct Explained {
  ci::JobRow job;
  std::vector<std::string> variants;  ///< that a build serves; of a test its own
  std::string because;
};

Explained explained(const ci::JobRow& job, const plan::Outline& outline) {
  for (const plan::BuildGroup& group : outline.builds) {
    if (job.step != plan::build_id(group.cls.id)) continue;
    return {job, group.tests,
            fmt::format("{} cannot differ in their binaries, so one build serves them",
                        plural(group.tests.size(), "variant"))};
  }
  return {job,
          {job.variant},
          job.step == plan::sdist_id() ? "`package.sdist` asks for it"
                                       : "every variant that the channel selects is tested"};
}

std::string json_of(const Explained& explained) {
  const ci::JobRow& job = explained.job;
  const nlohmann::ordered_json json = {{"job", job.name},
                                       {"step", job.step},
                                       {"because", explained.because},
                                       {"runner", ci::runner_json(*job.runner)},
                                       {"minutes", job.minutes},
                                       {"needs", job.needs},
                                       {"variants", explained.variants}};
  return json.dump(2) + "\n";
}

std::string text_of(const Explained& explained) {
  const ci::JobRow& job = explained.job;
  return fmt::format(
      "{}\n  because   {}\n  runner    {}\n  minutes   {}\n  after     {}\n  variants  {}\n",
      job.name, explained.because, join(*job.runner, ", "), job.minutes,
      job.needs.empty() ? "plan" : "plan, " + join(job.needs, ", "),
      join(explained.variants, "\n            "));
}

/// The rows of a job as a whole.
struct RowsOf {
  std::vector<std::vector<std::string>> runners = {};  ///< each once
  int minutes = 0;                                     ///< of the longest
};

RowsOf rows_behind(const ci::ExplainedJob& job, const std::vector<ci::JobRow>& jobs) {
  RowsOf rows;
  for (const ci::JobRow& each : jobs) {
    const bool test = plan::kind_of_step(each.step) == plan::StepKind::test;
    if (!each.runner || test != (job.runner == ci::JobRunner::of_tests)) continue;
    rows.minutes = std::max(rows.minutes, each.minutes);
    if (std::ranges::find(rows.runners, *each.runner) == rows.runners.end()) {
      rows.runners.push_back(*each.runner);
    }
  }
  return rows;
}

/// A job without rows has one runner and its own time.
RowsOf places_of(const ci::ExplainedJob& job, const std::vector<ci::JobRow>& jobs) {
  if (job.runner == ci::JobRunner::hosted) return {{{ci::kHostedRunner}}, job.minutes};
  return rows_behind(job, jobs);
}

std::vector<std::string> messages_of(const std::vector<Error>& warnings) {
  std::vector<std::string> messages;
  messages.reserve(warnings.size());
  for (const Error& warning : warnings) messages.push_back(warning.message);
  return messages;
}

std::string json_of(const WholeJob& whole, const RowsOf& places) {
  nlohmann::ordered_json runners = nlohmann::ordered_json::array();
  for (const std::vector<std::string>& labels : places.runners) {
    runners.push_back(ci::runner_json(labels));
  }
  const nlohmann::ordered_json json = {{"job", whole.job.name},
                                       {"id", whole.job.id},
                                       {"because", whole.job.because},
                                       {"runners", runners},
                                       {"minutes", places.minutes},
                                       {"limit", whole.job.limit},
                                       {"needs", whole.job.needs},
                                       {"workflows", whole.workflows},
                                       {"warnings", messages_of(whole.warnings)}};
  return json.dump(2) + "\n";
}

std::string text_of(const WholeJob& whole, const RowsOf& places) {
  std::vector<std::string> runners;
  for (const std::vector<std::string>& labels : places.runners) {
    runners.push_back(join(labels, ", "));
  }
  return fmt::format(
      "{}\n  because   {}\n  runner    {}\n  minutes   {}, at most {}\n  after     {}\n"
      "  in        {}\n",
      whole.job.name, whole.job.because, join(runners, "\n            "), places.minutes,
      whole.job.limit, whole.job.needs.empty() ? "nothing" : join(whole.job.needs, ", "),
      join(whole.workflows, ", "));
}

}  // namespace

Result<int> cmd_ci_explain(const prepare::Host& host, const prepare::GlobalOptions& global,
                           const CiExplainOptions& options, Streams& streams) {
  TRY(const prepare::MatrixChoice choice, prepare::choose_matrix(host, options.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, "`ci explain` takes one job",
                "write its name in quotes: pinwheel ci explain 'build cpu'");
  }
  TRY(prepare::Loaded loaded,
      prepare::load_matrix(host.files, choice.path, streams, prepare::Warnings::tell));
  TRY(const std::vector<PlannedWorkflow> workflows, workflows_of(loaded, options.channel));
  const std::vector<WholeJob> wholes = whole_jobs(workflows);
  prepare::SelectionOptions selection;
  selection.channel = options.channel;
  const prepare::LevelOptions levels;
  const prepare::MatrixChoice whole_matrix{choice.path, {}};
  prepare::ScopeRequest request{global, whole_matrix, selection, levels, plan::Stage::publish};
  request.images = prepare::TestImageUse::prepare;
  TRY(const prepare::RunScope scope,
      prepare::scope_of(host, request, std::move(loaded), streams.log()));
  TRY(const plan::Plan plan, plan_of(global, scope));
  TRY(const std::vector<ci::JobRow> jobs, jobs_of(scope, plan));
  if (const auto whole = find_whole(wholes, choice.globs.front())) {
    for (const Error& warning : whole->warnings) streams.warn(warning);
    const RowsOf places = places_of(whole->job, jobs);
    if (options.json) {
      streams.json(json_of(*whole, places));
    } else {
      streams.lines(text_of(*whole, places));
    }
    return 0;
  }
  std::vector<std::string> names;
  names.reserve(wholes.size());
  for (const WholeJob& each : wholes) names.push_back(each.job.id);
  TRY(const ci::JobRow job, find_job(jobs, choice.globs.front(), std::move(names)));
  for (const Error& warning : warnings_of(job, workflows)) streams.warn(warning);
  const Explained explanation = explained(job, scope.outline);
  if (options.json) {
    streams.json(json_of(explanation));
  } else {
    streams.lines(text_of(explanation));
  }
  return 0;
}

}  // namespace pinwheel::cli
