#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
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

using Json = nlohmann::ordered_json;

/// A job of a workflow, as `ci explain` tells of it.
struct KnownJobs {
  std::vector<Json> rows;  ///< builds, then tests
  std::vector<std::string> unplaced;
};

void add_rows(const report::JobRows& rows, KnownJobs& jobs) {
  for (const std::string& chunk : rows.chunks) {
    const Json parsed = Json::parse(chunk);
    for (const Json& row : parsed.at("include")) jobs.rows.push_back(row);
  }
  jobs.unplaced.insert(jobs.unplaced.end(), rows.unplaced.begin(), rows.unplaced.end());
}

Result<KnownJobs> jobs_of(const GlobalOptions& global, const RunScope& scope) {
  plan::PlanFacts facts = plan_facts(scope.version, {});
  facts.durations = earlier_durations(global.state_dir);
  TRY(const plan::Plan plan, decide_plan(scope, facts));
  KnownJobs jobs;
  for (const report::Rows kind : {report::Rows::builds, report::Rows::tests}) {
    TRY(const report::JobRows rows,
        report::job_rows(plan, scope.outline, scope.loaded.expansion.variants,
                         scope.loaded.matrix.ci, kind));
    add_rows(rows, jobs);
  }
  return jobs;
}

/// The variants that a build serves; of a test its own.
std::vector<std::string> variants_of(const Json& row, const plan::Outline& outline) {
  const std::string step = row.at("step");
  for (const plan::BuildGroup& group : outline.builds) {
    if (step == "build:" + group.cls.id) return group.tests;
  }
  return {row.at("id").get<std::string>()};
}

std::string reason(const Json& row, const std::vector<std::string>& variants) {
  const std::string step = row.at("step");
  if (step == "sdist") return "`package.sdist` asks for it";
  if (step.starts_with("build:")) {
    return fmt::format("{} cannot differ in their binaries, so one build serves them",
                       plural(variants.size(), "variant"));
  }
  return "every variant that the channel selects is tested";
}

std::string runner_text(const Json& runner) {
  if (runner.is_string()) return runner.get<std::string>();
  return join(runner.get<std::vector<std::string>>(), ", ");
}

Json explained(const Json& row, const plan::Outline& outline) {
  const std::vector<std::string> variants = variants_of(row, outline);
  return {{"job", row.at("name")},
          {"step", row.at("step")},
          {"because", reason(row, variants)},
          {"runner", row.at("runner")},
          {"minutes", row.at("minutes")},
          {"needs", row.at("needs")},
          {"variants", variants}};
}

std::string text_of(const Json& job) {
  std::string text =
      fmt::format("{}\n  because   {}\n  runner    {}\n  minutes   {}\n",
                  job.at("job").get<std::string>(), job.at("because").get<std::string>(),
                  runner_text(job.at("runner")), job.at("minutes").get<int>());
  const auto needs = job.at("needs").get<std::vector<std::string>>();
  text += fmt::format("  after     {}\n", needs.empty() ? "plan" : "plan, " + join(needs, ", "));
  text += fmt::format("  variants  {}\n",
                      join(job.at("variants").get<std::vector<std::string>>(), "\n            "));
  return text;
}

/// The row that a person means by the name of a job, of its step or of its artifact.
Result<Json> find_job(const KnownJobs& jobs, const std::string& name) {
  std::vector<std::string> names;
  for (const Json& row : jobs.rows) {
    for (const char* key : {"step", "name", "artifact"}) {
      if (row.at(key) == name) return row;
    }
    names.push_back(row.at("step"));
  }
  if (std::ranges::find(jobs.unplaced, name) != jobs.unplaced.end()) {
    return fail(ErrorKind::usage, fmt::format("{} gets no job", quoted(name)),
                "name a runner that has a GPU: `ci: {runners: {test: {\"cuda/*\": [LABEL]}}}`");
  }
  return fail(ErrorKind::usage, fmt::format("no job is named {}", quoted(name)),
              suggest(name, names));
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
  TRY(const KnownJobs jobs, jobs_of(global, scope));
  TRY(const Json row, find_job(jobs, choice.globs.front()));
  const Json job = explained(row, scope.outline);
  if (options.json) {
    streams.json(job.dump(2) + "\n");
  } else {
    streams.data(text_of(job));
  }
  return 0;
}

}  // namespace pinwheel::cli
