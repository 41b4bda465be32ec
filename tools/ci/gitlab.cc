#include "ci/gitlab.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/text.h"
#include "ci/gitlab_rules.h"
#include "ci/job_parts.h"
#include "ci/workflow.h"
#include "ci/yaml_text.h"
#include "plan/runner_labels.h"
#include "plan/step_id.h"
#include "publish/credential_variable.h"
#include "publish/identity_provider.h"
#include "store/attempt.h"

namespace pinwheel::ci {
namespace {

// Artifacts can only be below the checkout. The names of the stages are those of all pipelines,
// because the last list of stages replaces the others.
constexpr std::string_view kPipelineHead = R"YAML(
@WRITTEN@
# Your own lines between `# pinwheel: keep NAME` and `# pinwheel: end` are preserved.

stages: [pinwheel-plan, pinwheel-build, pinwheel-test, pinwheel-gate, pinwheel-publish-1, pinwheel-install, @PUBLISH@]

.@NAME@:
  @IMAGE@
  timeout: @LIMIT@ minutes
  @INTERRUPTIBLE@
  retry: {max: 1, when: [runner_system_failure, scheduler_failure]}
  @RULES@
  variables:
    GIT_DEPTH: "0" # versions come from tags
    @SUBMODULES@
    PINWHEEL_CACHE_DIR: $CI_PROJECT_DIR/.pinwheel-run/cache
    PINWHEEL_STATE_DIR: $CI_PROJECT_DIR/.pinwheel-run/state
  before_script:
    @PREPARE@
    - git rev-parse --git-dir > /dev/null 2>&1 || git config --global --add safe.directory "$CI_PROJECT_DIR"
    # Committed files with the names of results are never read.
    - if [ -n "$(git ls-files .pinwheel-run)" ]; then echo "remove .pinwheel-run from the repository"; exit 1; fi
    - mkdir -p .pinwheel-run/in .pinwheel-run/bin && echo '*' > .pinwheel-run/.gitignore
    - |
      if [ "$(pinwheel --version 2>/dev/null || true)" != "pinwheel @VERSION@" ]; then
        python3 -I -m venv .pinwheel-run/venv
        .pinwheel-run/venv/bin/python -I -m pip install --quiet --disable-pip-version-check "pinwheel-cli==@VERSION@"
        # Only this program: the Python of a build is the one that the matrix names.
        ln -sf ../venv/bin/pinwheel .pinwheel-run/bin/pinwheel
        export PATH="$CI_PROJECT_DIR/.pinwheel-run/bin:$PATH"
      fi
  @KEEP@
)YAML";

// A job of a chain passes its checkpoint to the next one.
constexpr std::string_view kLinkArtifacts = R"YAML(artifacts:
  paths: [.pinwheel-run/in/result-$RESULT-$CI_JOB_ID, @CHECKPOINTS@]
)YAML";

constexpr std::string_view kPlanFilePath = ".pinwheel-run/plan.json";
constexpr std::string_view kResultsPath = ".pinwheel-run/in";

constexpr std::string_view kPlanOfPipeline = R"YAML(

@NAME@ plan:
  extends: .@NAME@
  stage: pinwheel-plan
  script:
    - @FREEZE@
  artifacts:
    paths: [.pinwheel-run/plan.json]
    @EXPIRE@
)YAML";

// The kinds of rows, each with its command.
constexpr std::string_view kRowTemplate = R"YAML(

.@NAME@-@KIND@:
  extends: .@NAME@
  stage: pinwheel-@STAGE@
  # The jobs that plan and publish read no cache, which code of a build may have written.
  cache:
    key:
      prefix: @NAME@-@KIND@-$ARCH
      files: [@MATRIX@]
    paths: [.pinwheel-run/cache]
  script:
    @DRIVER@
    - @COMMAND@
  artifacts:
    paths: [.pinwheel-run/in/result-$RESULT-$CI_JOB_ID]
    @EXPIRE@
)YAML";

constexpr std::string_view kDriverLine = R"YAML(- |
  if [ -n "$DRIVER" ] && ! pinwheel doctor --json | tr -d ' \n' | grep -q '"gpus":\[{'; then
    bash -euo pipefail -c "$DRIVER"
  fi
)YAML";

constexpr std::string_view kRowJob = R"YAML(

@JOB@:
  extends: .@NAME@-@KIND@
  @NEEDS@
  @TAGS@
  variables: {@VARIABLES@}
  @ARTIFACTS@
)YAML";

constexpr std::string_view kGateOfPipeline = R"YAML(

@NAME@ gate:
  extends: .@NAME@
  stage: pinwheel-gate
  @RULES@
  script:
    - @COMMAND@
)YAML";

constexpr std::string_view kPublishOfPipeline = R"YAML(

@NAME@ publish @TARGET@:
  extends: .@NAME@
  stage: pinwheel-publish-@STAGE@
  interruptible: false
  resource_group: @GROUP@
  @ENVIRONMENT@
  @TOKENS@
  @VARIABLES@
  script:
    - @COMMAND@
    @INDEX@
  @ARTIFACTS@
  @KEEP@
)YAML";

constexpr std::string_view kTriggerJob = R"YAML(

@JOB@:
  stage: pinwheel-@KIND@
  @RULES@
  variables:
    PARENT_PIPELINE_ID: $CI_PIPELINE_ID
  trigger:
    include: [{local: @FILE@}]
    strategy: depend
)YAML";

constexpr std::string_view kTailOfPipeline = R"YAML(

@KEEP@
)YAML";

/// The name of a workflow, which begins the names of its jobs.
std::string name_of_pipeline(const WorkflowFacts& facts) {
  return workflow_name(facts.settings, facts.set);
}

std::string expire(const WorkflowFacts& facts) {
  if (facts.set == WorkflowSet::release) return "expire_in: never";
  return fmt::format("expire_in: {} days", retention_days(facts.settings.retention));
}

/// The stores of a command, nearest first. A job writes its result under a name of its own, so that
/// a repeated job never overwrites the result of the first.
std::string stores(const WorkflowFacts& facts, Results results) {
  std::string text = fmt::format("--store \"artifacts:$CI_PROJECT_DIR/{}\"", kResultsPath);
  if (results == Results::read_and_write) {
    text +=
        fmt::format(" --store \"dir:$CI_PROJECT_DIR/{}/result-$RESULT-$CI_JOB_ID\"", kResultsPath);
  }
  const std::string& store = facts.settings.store;
  return store.empty() ? text : fmt::format("{} --store {}", text, shell_quote(store));
}

std::string pinwheel_line(std::string_view command, const WorkflowFacts& facts, Results results) {
  return yaml_string(fmt::format("pinwheel {} {}", command, stores(facts, results)));
}

// The stages are the same in all files, because the last list of stages replaces the others.
constexpr size_t kMostTargets = 9;

std::string later_stages() {
  std::vector<std::string> stages;
  for (size_t number = 2; number <= kMostTargets; ++number) {
    stages.push_back(fmt::format("pinwheel-publish-{}", number));
  }
  return join(stages, ", ");
}

std::string head_of(const WorkflowFacts& facts, std::string_view version,
                    const std::string& rules) {
  const matrix::JobContainer& container = facts.settings.container;
  const bool cancels =
      facts.set == WorkflowSet::ci && facts.settings.concurrency == matrix::Outdated::cancel;
  return filled(
      kPipelineHead,
      {{"WRITTEN", written_line(facts.matrix)},
       {"NAME", name_of_pipeline(facts)},
       {"IMAGE", container.image.empty() ? "" : "image: " + yaml_string(container.image)},
       {"LIMIT", std::to_string(job_limit(facts.settings))},
       {"INTERRUPTIBLE", cancels ? "interruptible: true" : ""},
       {"RULES", rules},
       {"SUBMODULES", facts.submodules ? "GIT_SUBMODULE_STRATEGY: recursive" : ""},
       {"PUBLISH", later_stages()},
       {"PREPARE", container.prepare.empty() ? "" : "- " + yaml_string(container.prepare)},
       {"VERSION", std::string(version)},
       {"KEEP", own_lines("defaults")}});
}

std::string freeze_line(const WorkflowFacts& facts) {
  std::string freeze = "pinwheel plan " + shell_quote(facts.matrix);
  if (!facts.channel.empty()) freeze += " --channel " + facts.channel;
  if (facts.engine != container::Engine::host) {
    freeze += fmt::format(" --engine {}", to_string(facts.engine));
  }
  return yaml_string(fmt::format("{} --out {}", freeze, kPlanFilePath));
}

/// The command of the rows of a kind: "device", "build", "test" or "install". A job of a chain
/// succeeds even if its build is unfinished, as long as another job continues it.
std::string row_command(std::string_view kind, bool chains) {
  if (kind == "device") return row_command("build", false);
  if (kind == "build") {
    return fmt::format("build --plan {} --step \"$STEP\"{}", kPlanFilePath,
                       chains ? " $UNFINISHED" : "");
  }
  if (kind == "test") {
    return fmt::format("test --plan {} --step \"$STEP\" --reuse-only --gate", kPlanFilePath);
  }
  return fmt::format("release --plan {} --step \"$STEP\" --reuse-only", kPlanFilePath);
}

std::string row_template(const WorkflowFacts& facts, std::string_view kind) {
  const bool drivers = kind == "test" && !facts.settings.drivers.empty();
  const bool chains = facts.build_links > 1;
  return filled(
      kRowTemplate,
      {{"NAME", name_of_pipeline(facts)},
       {"KIND", std::string(kind)},
       // A list of stages of one's own has this one already.
       {"STAGE", std::string(kind == "device" ? "build" : kind)},
       {"MATRIX", yaml_string(facts.matrix)},
       {"DRIVER", drivers ? std::string(kDriverLine) : std::string()},
       {"COMMAND", pinwheel_line(row_command(kind, chains), facts, Results::read_and_write)},
       {"EXPIRE", expire(facts)}});
}

std::string job_of_step(const WorkflowFacts& facts, const std::string& step) {
  return fmt::format("{} {}", name_of_pipeline(facts), step);
}

// The labels of GitHub's hosted runners mean nothing to GitLab, whose own runners take jobs without
// tags, or with this one for another architecture.
constexpr const char* kHostedArmTag = "saas-linux-small-arm64";

std::string tags_of(const JobRow& row) {
  const std::string hosted = plan::hosted_arch(*row.runner);
  if (hosted.empty()) return "tags: " + yaml_list(*row.runner);
  return hosted == "aarch64" ? fmt::format("tags: [{}]", kHostedArmTag) : std::string();
}

/// What a row waits for: the jobs that it needs; for a child, the plan of its parent, and the jobs
/// that it needs in the same child; or the stages before it, whose results it all gets.
enum class Part { whole, child, stages };

/// The name of the job with this position, from 1, in the chain that builds a step.
std::string job_of_link(const WorkflowFacts& facts, const std::string& step, size_t link) {
  const std::string first = job_of_step(facts, step);
  return link == 1 ? first : fmt::format("{} then {}", first, link);
}

/// A row, and the position of one of its jobs in the chain, from 1.
struct RowLink {
  const JobRow& row;
  size_t link = 1;
};

/// The number of jobs in the chain of a build.
size_t links_of_build(std::span<const JobRow> builds, const std::string& step) {
  const auto found = std::ranges::find(builds, step, &JobRow::step);
  return found == builds.end() ? 1 : found->links;
}

/// The jobs that compile the device code of a build.
std::vector<std::string> device_code_of(const JobRow& row) {
  std::vector<std::string> steps;
  std::ranges::copy_if(row.needs, std::back_inserter(steps), plan::compiles_device_code);
  return steps;
}

std::string needs_of_row(const WorkflowFacts& facts, const RowLink& at, Part part,
                         std::span<const JobRow> builds) {
  if (part == Part::stages) return {};
  const std::string plan = job_of_step(facts, "plan");
  std::vector<std::string> before;
  if (at.link > 1) before.push_back(job_of_link(facts, at.row.step, at.link - 1));
  if (part == Part::child) {
    for (const std::string& step : device_code_of(at.row)) {
      before.push_back(job_of_step(facts, step));
    }
    std::string needs =
        fmt::format("needs: [{{pipeline: $PARENT_PIPELINE_ID, job: {}}}", yaml_string(plan));
    for (const std::string& job : before) needs += fmt::format(", {{job: {}}}", yaml_string(job));
    return needs + "]";
  }
  std::vector<std::string> jobs = {plan};
  jobs.insert(jobs.end(), before.begin(), before.end());
  // The last job of a chain has the result, whichever job made it.
  for (const std::string& need : at.row.needs) {
    jobs.push_back(job_of_link(facts, need, links_of_build(builds, need)));
  }
  return "needs: " + yaml_list(jobs);
}

/// The value of a variable in which GitLab expands nothing.
std::string unexpanded(std::string_view value) {
  std::string text;
  for (const char c : value) text += c == '$' ? std::string("$$") : std::string(1, c);
  return text;
}

std::string checkpoints_of(const JobRow& row) {
  return ".pinwheel-run/checkpoints/" + row.artifact;
}

/// The variables of a job in a chain of several.
std::string variables_of_link(const WorkflowFacts& facts, const RowLink& at) {
  std::string text = fmt::format(", PINWHEEL_TIME_LIMIT: {} min, PINWHEEL_CHECKPOINTS: {}",
                                 job_limit(facts.settings), yaml_string(checkpoints_of(at.row)));
  if (at.link < at.row.links) text += ", UNFINISHED: --unfinished-ok";
  return text;
}

std::string row_job(const WorkflowFacts& facts, std::string_view kind, const RowLink& at, Part part,
                    std::span<const JobRow> builds) {
  const JobRow& row = at.row;
  std::string variables =
      fmt::format("STEP: {}, RESULT: {}", yaml_string(row.step), yaml_string(row.artifact));
  if (!row.arch.empty()) variables += ", ARCH: " + yaml_string(row.arch);
  if (!row.driver.empty()) variables += ", DRIVER: " + yaml_string(unexpanded(row.driver));
  std::string artifacts;
  if (row.links > 1) {
    variables += variables_of_link(facts, at);
    artifacts = filled(kLinkArtifacts, {{"CHECKPOINTS", yaml_string(checkpoints_of(row))}});
  }
  return filled(kRowJob, {{"JOB", yaml_string(job_of_link(facts, row.step, at.link))},
                          {"NAME", name_of_pipeline(facts)},
                          {"KIND", std::string(kind)},
                          {"NEEDS", needs_of_row(facts, at, part, builds)},
                          {"TAGS", tags_of(row)},
                          {"VARIABLES", variables},
                          {"ARTIFACTS", artifacts}});
}

std::string rows_text(const WorkflowFacts& facts, std::string_view kind,
                      std::span<const JobRow> rows, Part part,
                      std::span<const JobRow> builds = {}) {
  if (rows.empty()) return {};
  std::string text = row_template(facts, kind);
  for (const JobRow& row : rows) {
    for (size_t link = 1; link <= row.links; ++link) {
      text += row_job(facts, kind, {row, link}, part, builds);
    }
  }
  return text;
}

/// The rows of the device code of these builds.
std::vector<JobRow> devices_for(std::span<const JobRow> builds,
                                const std::vector<JobRow>& devices) {
  std::vector<JobRow> needed;
  for (const JobRow& device : devices) {
    const bool used = std::ranges::any_of(builds, [&device](const JobRow& build) {
      return std::ranges::find(build.needs, device.step) != build.needs.end();
    });
    if (used) needed.push_back(device);
  }
  return needed;
}

// Publications

/// The lines `id_tokens:` of a publication: one for the index, and one for Sigstore.
std::string tokens_of(const PublishJob& job) {
  std::vector<std::string> tokens;
  // Other indexes define their own audience.
  if (job.auth == PublishAuth::trusted && job.kind != matrix::TargetKind::index) {
    const std::string audience(matrix::to_string(job.kind));
    tokens.push_back(
        fmt::format("{}: {{aud: {}}}", publish::identity_variable(audience), audience));
  }
  const bool signs = job.attestations == matrix::Attesting::always ||
                     (job.attestations == matrix::Attesting::automatic && !tokens.empty());
  if (signs) tokens.emplace_back("SIGSTORE_ID_TOKEN: {aud: sigstore}");
  if (tokens.empty()) return {};
  return "id_tokens:\n  " + join(tokens, "\n  ");
}

/// Where the copy of a directory index is uploaded from.
std::string place_of_index(const PublishJob& job) {
  return ".pinwheel-run/index/" + job.target;
}

/// The command that makes it. The directory of an index is a link, which GitLab does not follow,
/// and may be outside the checkout, where artifacts cannot be.
std::string copy_of_index(const PublishJob& job) {
  if (!is_directory(job)) return {};
  return "- " +
         yaml_string(fmt::format("mkdir -p .pinwheel-run/index && cp -rL {} {}",
                                 shell_quote(job.directory), shell_quote(place_of_index(job))));
}

std::string artifacts_of_publication(const WorkflowFacts& facts, const PublishJob& job) {
  std::vector<std::string> paths;
  if (job.target == facts.through) paths.emplace_back(".pinwheel-run/in/result-$RESULT-$CI_JOB_ID");
  if (is_directory(job)) paths.push_back(place_of_index(job));
  if (paths.empty()) return {};
  return fmt::format("artifacts:\n  paths: {}\n  {}\n", yaml_list(paths), expire(facts));
}

/// `number`, from 1: publications run one after the other.
std::string publish_text(const WorkflowFacts& facts, const PublishJob& job, size_t number) {
  const bool records = job.target == facts.through;
  std::string command = fmt::format("release --plan {} --reuse-only --target {}", kPlanFilePath,
                                    shell_quote(job.target));
  const std::string artifact = store::artifact_of(plan::publish_id(job.target));
  const std::string line =
      pinwheel_line(command, facts, records ? Results::read_and_write : Results::read);
  const std::string& name = facts.settings.name;
  const std::string group =
      fmt::format("pinwheel-{}publish-{}", name.empty() ? "" : name + "-", job.target);
  return filled(
      kPublishOfPipeline,
      {{"NAME", name_of_pipeline(facts)},
       {"TARGET", job.target},
       {"STAGE", std::to_string(number)},
       {"GROUP", group},
       {"ENVIRONMENT",
        job.environment.empty() ? std::string() : "environment: " + yaml_string(job.environment)},
       {"TOKENS", tokens_of(job)},
       {"VARIABLES",
        records ? fmt::format("variables: {{RESULT: {}}}", yaml_string(artifact)) : std::string()},
       {"COMMAND", line},
       {"INDEX", copy_of_index(job)},
       {"ARTIFACTS", artifacts_of_publication(facts, job)},
       {"KEEP", own_lines("publish-" + job.target)}});
}

/// The jobs after the rows: the gate and, of a workflow that publishes, the publications.
std::string last_jobs(const PlannedWorkflow& workflow) {
  const WorkflowFacts& facts = workflow.facts;
  const std::string gate = fmt::format("release --plan {} --reuse-only --gate", kPlanFilePath);
  std::string text =
      filled(kGateOfPipeline, {{"NAME", name_of_pipeline(facts)},
                               {"RULES", rules_text(facts, RunWhen::always)},
                               {"COMMAND", pinwheel_line(gate, facts, Results::read)}});
  if (facts.set == WorkflowSet::ci) return text;
  size_t number = 0;
  for (const PublishJob& job : facts.publish) {
    text += publish_text(facts, job, ++number);
    if (job.target != facts.through || workflow.rows.installs.empty()) continue;
    text += row_template(facts, "install");
    for (const JobRow& row : workflow.rows.installs) {
      text += row_job(facts, "install", {row}, Part::stages, {});
    }
  }
  return text;
}

// Child pipelines

/// A child pipeline with some of the rows of a kind.
struct Child {
  std::string kind;
  std::string file;  ///< "pinwheel-ci-build-2.yml"
  std::span<const JobRow> rows;
};

/// How many jobs the rows have, with those that compile device code for them.
size_t jobs_of(std::span<const JobRow> rows) {
  size_t jobs = 0;
  for (const JobRow& row : rows) jobs += row.links + device_code_of(row).size();
  return jobs;
}

std::vector<Child> children_of(const WorkflowFacts& facts, std::string_view kind,
                               const std::vector<JobRow>& rows) {
  std::vector<Child> children;
  const std::span<const JobRow> all(rows);
  for (size_t at = 0; at < all.size();) {
    size_t count = 1;
    while (at + count < all.size() && jobs_of(all.subspan(at, count + 1)) <= kGitLabRowLimit) {
      ++count;
    }
    children.push_back(
        {std::string(kind),
         fmt::format("{}-{}-{}.yml", name_of_pipeline(facts), kind, children.size() + 1),
         all.subspan(at, count)});
    at += count;
  }
  return children;
}

std::string trigger_text(const WorkflowFacts& facts, const Child& child) {
  const std::string file = fmt::format("{}/{}", kGitLabDirectory, child.file);
  const std::string job = child.file.substr(0, child.file.size() - std::string_view(".yml").size());
  return filled(kTriggerJob, {{"JOB", job},
                              {"KIND", child.kind},
                              {"RULES", rules_text(facts, RunWhen::usual)},
                              {"FILE", yaml_string(file)}});
}

// A job without rules would not run in the child of a pipeline of a merge request.
constexpr const char* kEveryRule = "rules:\n  - when: on_success\n";

Done check_store(const WorkflowFacts& facts, size_t rows) {
  const std::string& store = facts.settings.store;
  if (!store.empty() && !store.ends_with(",ro")) return {};
  return fail(
      ErrorKind::config,
      fmt::format("the pipeline {} has {} builds and tests, more than {}, and no store that "
                  "its jobs may write",
                  quoted(name_of_pipeline(facts)), rows, kGitLabRowLimit),
      "name one, because child pipelines pass no artifacts to their parent: `ci: {store: "
      "s3://BUCKET/PREFIX}`");
}

Done check_targets(const WorkflowFacts& facts) {
  if (facts.set == WorkflowSet::ci || facts.publish.size() <= kMostTargets) return {};
  return fail(ErrorKind::config,
              fmt::format("the pipeline {} publishes to {} targets, more than {}",
                          quoted(name_of_pipeline(facts)), facts.publish.size(), kMostTargets),
              "divide them among channels, or publish to the others by hand");
}

/// The variables with the credentials of a publication; empty: none is needed.
std::string credentials_of(const PublishJob& job) {
  switch (job.auth) {
    case PublishAuth::token:
      return quoted(publish::credential_variable("PINWHEEL_TOKEN_", job.target));
    case PublishAuth::contents:
    case PublishAuth::reading:
      return quoted("GITHUB_TOKEN");
    case PublishAuth::aws:
      return "`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_REGION`";
    case PublishAuth::trusted:
    case PublishAuth::none:
      break;
  }
  return {};
}

std::vector<Error> named(std::vector<Error> warnings, const WorkflowFacts& facts) {
  for (Error& each : warnings) {
    each.message = fmt::format("{}: {}", name_of_pipeline(facts), each.message);
  }
  return warnings;
}

std::string tail_text() {
  return filled(kTailOfPipeline, {{"KEEP", own_lines("jobs")}});
}

}  // namespace

Result<std::vector<Pipeline>> gitlab_pipelines(const PlannedWorkflow& workflow,
                                               std::string_view version) {
  const WorkflowFacts& facts = workflow.facts;
  const WorkflowRows& rows = workflow.rows;
  TRY_DONE(check_targets(facts));
  std::string text = head_of(facts, version, rules_text(facts, RunWhen::usual));
  text += filled(kPlanOfPipeline, {{"NAME", name_of_pipeline(facts)},
                                   {"FREEZE", freeze_line(facts)},
                                   {"EXPIRE", expire(facts)}});
  const std::string name = name_of_pipeline(facts) + ".yml";
  const size_t count = jobs_of(rows.builds) + jobs_of(rows.tests);
  if (count <= kGitLabRowLimit) {
    text += rows_text(facts, "device", rows.devices, Part::whole);
    text += rows_text(facts, "build", rows.builds, Part::whole, rows.builds);
    text += rows_text(facts, "test", rows.tests, Part::whole, rows.builds);
    text += last_jobs(workflow) + tail_text();
    return std::vector<Pipeline>{{name, std::move(text)}};
  }
  TRY_DONE(check_store(facts, count));
  std::vector<Child> children = children_of(facts, "build", rows.builds);
  for (Child& child : children_of(facts, "test", rows.tests)) children.push_back(std::move(child));
  std::vector<Pipeline> pipelines(1);
  pipelines.reserve(children.size() + 1);
  for (const Child& child : children) {
    text += trigger_text(facts, child);
    // With its builds, because jobs need only jobs of the same pipeline.
    const std::vector<JobRow> devices = devices_for(child.rows, rows.devices);
    pipelines.push_back(
        {child.file,
         head_of(facts, version, kEveryRule) + rows_text(facts, "device", devices, Part::child) +
             rows_text(facts, child.kind, child.rows, Part::child, rows.builds) + tail_text()});
  }
  pipelines.front() = {name, text + last_jobs(workflow) + tail_text()};
  return pipelines;
}

std::string gitlab_includes(const std::vector<std::string>& names) {
  std::string text = "include:\n";
  for (const std::string& name : names) {
    text +=
        fmt::format("  - local: {}\n", yaml_string(fmt::format("{}/{}", kGitLabDirectory, name)));
  }
  return text;
}

std::vector<Error> gitlab_warnings(const PlannedWorkflow& workflow) {
  const WorkflowFacts& facts = workflow.facts;
  std::vector<Error> warnings;
  if (facts.settings.container.image.empty()) {
    warnings.push_back(
        Error{ErrorKind::config, "jobs run in the default image of their runner"}.with_hint(
            "name an image with Python and a compiler: `ci: {container: "
            "{image: IMAGE}}`"));
  }
  if (facts.emulated) {
    warnings.push_back(
        Error{ErrorKind::config, "builds need containers of another architecture"}.with_hint(
            "use a runner of that architecture, or install QEMU on the machines of the runners"));
  }
  if (facts.set == WorkflowSet::ci) {
    if (!facts.settings.paths.empty() && changed_paths(facts).empty()) {
      warnings.push_back(Error{ErrorKind::config, "`ci.on.paths` has no effect"}.with_hint(
          "GitLab takes at most 50 patterns, without `!`, `+` and `?`"));
    }
    return named(std::move(warnings), facts);
  }
  for (const PublishJob& job : facts.publish) {
    if (const std::string names = credentials_of(job); !names.empty()) {
      warnings.push_back(
          Error{ErrorKind::config,
                fmt::format("the job that publishes to {} needs {}", quoted(job.target), names)}
              .with_hint(fmt::format("add it to the project's variables with the environment scope "
                                     "{}, masked, so that "
                                     "no build receives it",
                                     quoted(job.environment.empty() ? "*" : job.environment))));
    }
    if (job.auth == PublishAuth::trusted && job.kind == matrix::TargetKind::index) {
      warnings.push_back(
          Error{ErrorKind::config,
                fmt::format("{} defines the audience of its identity tokens", quoted(job.target))}
              .with_hint(fmt::format("add `id_tokens` to the job, between {} and `# pinwheel: end`",
                                     quoted("# pinwheel: keep publish-" + job.target))));
    }
  }
  return named(std::move(warnings), facts);
}

}  // namespace pinwheel::ci
