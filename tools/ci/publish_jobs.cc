#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "ci/job_parts.h"
#include "ci/jobs.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"
#include "publish/credential_variable.h"

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

/// If the index does not trust the job, a secret of the environment authenticates it.
std::string token_of(const PublishJob& job) {
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

std::string publish_steps(const WorkflowFacts& facts, const PublishJob& publication) {
  const std::string command = fmt::format("release --plan {} --reuse-only --target {}",
                                          plan_argument(), publication.target);
  return filled(kPublishSteps, {{"CHECKOUT", checkout(facts)},
                                {"PLAN", download_plan()},
                                {"RESULTS", download_results()},
                                {"KEEP", own_lines("before-publish-" + publication.target)},
                                {"ACTION", facts.action},
                                {"TOKEN", token_of(publication)},
                                {"ARGS", args(command, facts, Results::read)},
                                {"INDEX", index_of(facts, publication)}});
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
  std::string before = "gate";
  const std::string& name = facts.settings.name;
  for (const PublishJob& publication : facts.publish) {
    const std::string id = "publish-" + publication.target;
    Job job{id, "publish to " + publication.target, publish_because(facts, publication)};
    job.needs = {before};
    job.condition = after(before);
    job.container = facts.settings.container.image;
    job.minutes = 2;
    job.limit = job_limit(facts.settings);
    job.environment = publication.environment;
    job.trusted = publication.auth == PublishAuth::trusted;
    job.group = name.empty() ? "pinwheel-" + id : fmt::format("pinwheel-{}-{}", name, id);
    job.steps = publish_steps(facts, publication);
    jobs.push_back(std::move(job));
    before = id;
  }
  return jobs;
}

}  // namespace pinwheel::ci
