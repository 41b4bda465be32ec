#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/earlier_results.h"
#include "cli/load.h"
#include "cli/plan_facts.h"
#include "cli/prepare_run.h"
#include "host/git/git.h"
#include "host/system/files.h"
#include "report/job_rows.h"

namespace pinwheel::cli {
namespace {

using report::WorkflowJob;

/// Builds, then tests.
Result<std::vector<WorkflowJob>> jobs_of(const GlobalOptions& global, const RunScope& scope) {
  plan::PlanFacts facts = plan_facts(scope.version, {});
  facts.durations = earlier_durations(global.state_dir);
  TRY(const plan::Plan plan, decide_plan(scope, facts));
  std::vector<WorkflowJob> jobs;
  for (const report::Rows kind : {report::Rows::builds, report::Rows::tests}) {
    TRY(const std::vector<WorkflowJob> some,
        report::workflow_jobs(plan, scope.outline, scope.loaded.expansion.variants,
                              scope.loaded.matrix.ci, kind));
    jobs.insert(jobs.end(), some.begin(), some.end());
  }
  return jobs;
}

/// The job that a person means by its name, by its step or by its artifact.
Result<WorkflowJob> find_job(const std::vector<WorkflowJob>& jobs, const std::string& name) {
  std::vector<std::string> names;
  for (const WorkflowJob& job : jobs) {
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

/// What `ci explain` says of a job.
struct Explained {
  WorkflowJob job;
  std::vector<std::string> variants;  ///< that a build serves; of a test its own
  std::string because;
};

Explained explained(const WorkflowJob& job, const plan::Outline& outline) {
  for (const plan::BuildGroup& group : outline.builds) {
    if (job.step != "build:" + group.cls.id) continue;
    return {job, group.tests,
            fmt::format("{} cannot differ in their binaries, so one build serves them",
                        plural(group.tests.size(), "variant"))};
  }
  return {job,
          {job.variant},
          job.step == "sdist" ? "`package.sdist` asks for it"
                              : "every variant that the channel selects is tested"};
}

std::string json_of(const Explained& explained) {
  const WorkflowJob& job = explained.job;
  nlohmann::ordered_json json = {{"job", job.name},
                                 {"step", job.step},
                                 {"because", explained.because},
                                 {"runner", *job.runner},
                                 {"minutes", job.minutes},
                                 {"needs", job.needs},
                                 {"variants", explained.variants}};
  if (job.runner->size() == 1) json["runner"] = job.runner->front();
  return json.dump(2) + "\n";
}

std::string text_of(const Explained& explained) {
  const WorkflowJob& job = explained.job;
  return fmt::format(
      "{}\n  because   {}\n  runner    {}\n  minutes   {}\n  after     {}\n  variants  {}\n",
      job.name, explained.because, join(*job.runner, ", "), job.minutes,
      job.needs.empty() ? "plan" : "plan, " + join(job.needs, ", "),
      join(explained.variants, "\n            "));
}

}  // namespace

Result<int> cmd_ci_explain(const GlobalOptions& global, const CiExplainOptions& options,
                           Streams& streams) {
  host::LocalFiles files;
  host::LibGit2 git;
  TRY(const MatrixChoice choice, choose_matrix(files, options.arguments));
  if (choice.globs.size() != 1) {
    return fail(ErrorKind::usage, "`ci explain` takes one job",
                "write its name in quotes: pinwheel ci explain 'build cpu'");
  }
  TRY(Loaded loaded, load_matrix(files, choice.path, streams, Warnings::tell));
  TRY(VersionFacts version,
      gather_version_facts(files, git, loaded, options.channel, {}, streams.log()));
  TRY(plan::Outline outline, select_outline(loaded, {}, {}, version.channel));
  TRY(const RunScope scope, up_to(plan::Stage::publish, {global,
                                                         std::move(loaded),
                                                         std::move(outline),
                                                         {},
                                                         std::move(version),
                                                         TestImageUse::prepare}));
  TRY(const std::vector<WorkflowJob> jobs, jobs_of(global, scope));
  TRY(const WorkflowJob job, find_job(jobs, choice.globs.front()));
  const Explained explanation = explained(job, scope.outline);
  if (options.json) {
    streams.json(json_of(explanation));
  } else {
    streams.data(text_of(explanation));
  }
  return 0;
}

}  // namespace pinwheel::cli
