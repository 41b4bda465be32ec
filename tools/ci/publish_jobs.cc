#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"
#include "plan/step_id.h"
#include "publish/credential_variable.h"
#include "store/attempt.h"

namespace pinwheel::ci {
namespace {

constexpr std::string_view kPublishSteps = R"(
@CHECKOUT@
@PLAN@
@RESULTS@
@KEEP@
- name: Publish
  uses: @ACTION@
  @TOKEN@
  with:
    @ARGS@
@INDEX@
@RESULT@
)";

// Code of the release runs here, so this job gets no credentials.
constexpr std::string_view kInstallSteps = R"(
@CHECKOUT@
@PLAN@
@RESULTS@
@KEEP@
- name: Install from the index
  uses: @ACTION@
  with:
    matrix: @MATRIX@
    @ARGS@
@RESULT@
)";

constexpr std::string_view kIndex = R"(
- name: Upload the index
  uses: @UPLOAD@
  with:
    name: index-@TARGET@-${{ github.run_attempt }}
    path: @DIRECTORY@
    if-no-files-found: error
    @RETENTION@
)";

constexpr std::string_view kAwsVariables = R"(env:
  AWS_ACCESS_KEY_ID: ${{ secrets.AWS_ACCESS_KEY_ID }}
  AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY }}
  AWS_REGION: ${{ vars.AWS_REGION }}
  AWS_ENDPOINT_URL_S3: ${{ vars.AWS_ENDPOINT_URL_S3 }}
)";

/// If the index does not trust the job, a secret of the environment authenticates it; a release of
/// the repository takes the job's own token.
std::string token_of(const PublishJob& job) {
  const bool own = job.auth == PublishAuth::contents || job.auth == PublishAuth::reading;
  if (own) return "env:\n  GITHUB_TOKEN: ${{ github.token }}\n";
  if (job.auth == PublishAuth::aws) return std::string(kAwsVariables);
  if (job.auth != PublishAuth::token) return {};
  const std::string name = publish::credential_variable("PINWHEEL_TOKEN_", job.target);
  return fmt::format("env:\n  {0}: ${{{{ secrets.{0} }}}}\n", name);
}

/// The step that stores the index that a job has written in a directory.
std::string index_of(const WorkflowFacts& facts, const PublishJob& publication) {
  if (!is_directory(publication)) return {};
  return filled(kIndex, {{"UPLOAD", pinned("actions/upload-artifact")},
                         {"TARGET", publication.target},
                         {"DIRECTORY", yaml_string(publication.directory)},
                         {"RETENTION", retention_of(facts)}});
}

JobPermission permission_of(const PublishJob& job) {
  const bool signs = job.attestations == matrix::Attesting::always;
  switch (job.auth) {
    case PublishAuth::trusted:
      return JobPermission::identity;
    case PublishAuth::contents:
      return signs ? JobPermission::signed_contents : JobPermission::contents;
    case PublishAuth::token:
    case PublishAuth::reading:
    case PublishAuth::aws:
    case PublishAuth::none:
      break;
  }
  return signs ? JobPermission::signing : JobPermission::usual;
}

std::string publish_steps(const WorkflowFacts& facts, const PublishJob& publication) {
  const std::string command = fmt::format("release --plan {} --reuse-only --target {}",
                                          plan_argument(), publication.target);
  // The record of the first publication is for the jobs after it.
  const bool first = publication.target == facts.through;
  const std::string artifact = store::artifact_of(plan::publish_id(publication.target));
  return filled(kPublishSteps,
                {{"CHECKOUT", checkout(facts)},
                 {"PLAN", download_plan()},
                 {"RESULTS", download_results(facts)},
                 {"KEEP", own_lines("before-publish-" + publication.target)},
                 {"ACTION", facts.action},
                 {"TOKEN", token_of(publication)},
                 {"ARGS", args(command, facts, first ? Results::read_and_write : Results::read)},
                 {"INDEX", index_of(facts, publication)},
                 {"RESULT", first ? upload_result(facts, artifact, {}) : ""}});
}

/// The condition of a job after these. The jobs of further rows are skipped if there are none; a
/// publication itself finds out if an installation has no result.
std::string after_all(const std::vector<std::string>& jobs) {
  std::string condition = fmt::format("!cancelled() && needs.{}.result == 'success'", jobs.front());
  for (size_t at = 1; at < jobs.size(); ++at) {
    condition += fmt::format(" && (needs.{0}.result == 'success' || needs.{0}.result == 'skipped')",
                             jobs[at]);
  }
  return fmt::format("${{{{ {} }}}}", condition);
}

/// A job with installations from the first target.
Job install_job(const WorkflowFacts& facts, const std::string& published, size_t chunk) {
  std::string id = "install-" + facts.through;
  if (chunk != 1) id += fmt::format("-{}", chunk);
  Job job{id, id,
          fmt::format("it has a row for each installation from {}, before the other targets get "
                      "the files",
                      quoted(facts.through))};
  job.needs = {"plan", published};
  job.condition = after(published);
  job.runner = JobRunner::of_installs;
  job.rows = fmt::format("needs.{}.outputs.installs-{}", lister(chunk), chunk);
  if (chunk != 1) {
    job.needs.insert(job.needs.begin() + 1, lister(chunk));
    job.condition = fmt::format("${{{{ !cancelled() && needs.{}.result == 'success' && {} }}}}",
                                published, has_rows(job));
  }
  job.container = facts.settings.container.image;
  job.limit = job_limit(facts.settings);
  const std::string command = fmt::format(
      "release --plan {} --step '${{{{ matrix.step }}}}' --reuse-only", plan_argument());
  job.steps =
      filled(kInstallSteps, {{"CHECKOUT", checkout(facts)},
                             {"PLAN", download_plan()},
                             {"RESULTS", download_results(facts)},
                             {"KEEP", own_lines("before-" + id)},
                             {"ACTION", facts.action},
                             {"MATRIX", yaml_string(facts.matrix)},
                             {"ARGS", args(command, facts, Results::read_and_write)},
                             {"RESULT", upload_result(facts, "${{ matrix.artifact }}", {})}});
  return job;
}

std::string publish_because(const WorkflowFacts& facts, const PublishJob& publication) {
  std::string because = fmt::format("the channel {} publishes to {}", quoted(facts.channel),
                                    quoted(publication.target));
  if (!publication.environment.empty()) {
    because += fmt::format(", behind the environment {}", quoted(publication.environment));
  }
  return because;
}

}  // namespace

std::vector<Job> publish_jobs(const WorkflowFacts& facts) {
  std::vector<Job> jobs;
  std::vector<std::string> before = {"gate"};
  const std::string& name = facts.settings.name;
  for (const PublishJob& publication : facts.publish) {
    const std::string id = "publish-" + publication.target;
    Job job{id, "publish to " + publication.target, publish_because(facts, publication)};
    job.needs = before;
    job.condition = after_all(before);
    job.container = facts.settings.container.image;
    job.minutes = 2;
    job.limit = job_limit(facts.settings);
    job.environment = publication.environment;
    job.permission = permission_of(publication);
    job.group = name.empty() ? "pinwheel-" + id : fmt::format("pinwheel-{}-{}", name, id);
    job.steps = publish_steps(facts, publication);
    jobs.push_back(std::move(job));
    before = {id};
    if (publication.target != facts.through) continue;
    before.clear();
    for (size_t chunk = 1; chunk <= facts.install_chunks; ++chunk) {
      jobs.push_back(install_job(facts, id, chunk));
      before.push_back(jobs.back().id);
    }
  }
  return jobs;
}

}  // namespace pinwheel::ci
