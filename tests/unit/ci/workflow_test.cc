#include "ci/workflow.h"

#include <fmt/format.h>

#include <algorithm>

#include "ci/composite.h"
#include "ci/idle.h"
#include "ci/pins.h"
#include "ci/yaml_text.h"
#include "unit/catch.h"
#include "unit/golden.h"

// Whole workflows are in tests/data/workflows. After a change of a template, write them again with
// `PINWHEEL_UPDATE_GOLDEN=1 build/dev/unit_ci` and read the difference. The rules that hold for all
// of them are tests of their own, below.

namespace pinwheel::ci {
namespace {

WorkflowFacts example() {
  WorkflowFacts facts;
  facts.matrix = "matrix/demo.yaml";
  facts.channel = "release";
  facts.publish = {{"testpypi", matrix::TargetKind::testpypi, PublishAuth::trusted, "testpypi", {}},
                   {"wheels", matrix::TargetKind::directory, PublishAuth::none, {}, "dist/index"}};
  return facts;
}

/// More rows than a matrix may have; some of them get secrets.
WorkflowFacts chunks() {
  WorkflowFacts facts = example();
  facts.build_chunks = 2;
  facts.test_chunks = 3;
  facts.secrets = {"LICENSE_KEY"};
  return facts;
}

/// Secrets, and a store that everybody but a fork may write.
WorkflowFacts secrets() {
  WorkflowFacts facts = example();
  facts.secrets = {"LICENSE_KEY", "OTHER_KEY"};
  facts.settings.store = "dir:stores,rw";
  return facts;
}

WorkflowFacts settings() {
  WorkflowFacts facts = example();
  facts.settings.name = "ops";
  facts.settings.paths = {"src/**", "it's"};
  facts.settings.nightly = "5 4 * * 1";
  facts.settings.tags = {"v*", "rel-*"};
  facts.settings.timeout = std::chrono::minutes(90);
  facts.settings.retention = std::chrono::hours(25);
  facts.settings.concurrency = matrix::Outdated::queue;
  facts.settings.forks = matrix::ForkJobs::build;
  facts.settings.comment = matrix::CommentPolicy::written;
  facts.settings.store = "s3://bucket/prefix";
  facts.settings.drivers = {{"cuda/*", "get it"}};
  return facts;
}

WorkflowFacts undecidable() {
  WorkflowFacts facts = example();
  facts.settings.paths = {"src/**", "!docs/**"};
  return facts;
}

/// Builds with secrets that outlast their job.
WorkflowFacts chain() {
  WorkflowFacts facts = example();
  facts.build_links = 3;
  facts.secrets = {"LICENSE_KEY"};
  return facts;
}

/// Builds whose device code compiles in other jobs.
WorkflowFacts split_builds() {
  WorkflowFacts facts = example();
  facts.device_chunks = 1;
  return facts;
}

/// Jobs in a container that a command prepares.
WorkflowFacts container() {
  WorkflowFacts facts = example();
  facts.settings.container = {"debian:12", "apt-get install \"git\""};
  facts.settings.store = "dir:stores,rw";
  return facts;
}

/// Jobs in the container of a digest, and a store that nobody writes.
WorkflowFacts pinned_container() {
  WorkflowFacts facts = example();
  facts.settings.container = {"debian@sha256:" + std::string(64, 'a'), ""};
  facts.settings.store = "dir:/mnt/a b,ro";
  return facts;
}

/// No publication, and artifacts for the shortest time.
WorkflowFacts alone() {
  WorkflowFacts facts = example();
  facts.publish.clear();
  facts.settings.retention = {};
  return facts;
}

/// Publications without an environment, and steps in containers, also of another architecture.
WorkflowFacts unprotected() {
  WorkflowFacts facts = example();
  facts.publish.front() = {"own-index", matrix::TargetKind::index, PublishAuth::token, {}, {}};
  facts.submodules = true;
  facts.lfs = true;
  facts.engine = container::Engine::docker;
  facts.emulated = true;
  return facts;
}

/// A release that is installed from its first target.
WorkflowFacts promoted() {
  WorkflowFacts facts = example();
  facts.through = "testpypi";
  facts.secrets = {"LICENSE_KEY"};
  facts.publish.back() = {"pypi", matrix::TargetKind::pypi, PublishAuth::trusted, "pypi", {}};
  return facts;
}

/// A workflow; its text is tests/data/workflows/NAME.yml.
struct GoldenWorkflow {
  std::string name;
  WorkflowFacts facts;
  Workflow workflow;
  std::string text;
};

std::vector<GoldenWorkflow> golden_workflows() {
  std::vector<GoldenWorkflow> workflows;
  const auto add = [&](const char* name, WorkflowFacts facts,
                       const std::vector<WorkflowSet>& sets) {
    for (const WorkflowSet set : sets) {
      facts.set = set;
      const Workflow workflow = make_workflow(facts);
      workflows.push_back(
          {fmt::format("{}-{}", name, to_string(set)), facts, workflow, yaml_of(workflow)});
    }
  };
  constexpr WorkflowSet kPulls = WorkflowSet::ci;
  constexpr WorkflowSet kNightly = WorkflowSet::nightly;
  constexpr WorkflowSet kRelease = WorkflowSet::release;
  add("plain", example(), {kPulls, kNightly, kRelease});
  add("chunks", chunks(), {kPulls, kNightly});
  add("secrets", secrets(), {kPulls});
  add("settings", settings(), {kPulls, kNightly, kRelease});
  add("undecidable", undecidable(), {kPulls});
  add("container", container(), {kRelease});
  add("pinned-container", pinned_container(), {kPulls});
  add("alone", alone(), {kNightly});
  add("unprotected", unprotected(), {kRelease});
  add("promoted", promoted(), {kNightly, kRelease});
  add("chain", chain(), {kRelease});
  add("split", split_builds(), {kPulls});
  return workflows;
}

size_t count(const std::string& text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("workflows are those of tests/data/workflows", "[workflow]") {
  for (const GoldenWorkflow& each : golden_workflows()) {
    INFO(each.name);
    const std::string file = fmt::format("tests/data/workflows/{}.yml", each.name);
    CHECK(each.text == testing::golden(file, each.text));
  }
}

TEST_CASE("the action is that of tests/data/workflows, of the release that generated it",
          "[workflow]") {
  const std::string action = composite_action("1.2.3");
  CHECK(action == testing::golden("tests/data/workflows/action.yml", action));
  CHECK(is_composite_action(action));
  CHECK_FALSE(is_composite_action("name: pinwheel\n"));
}

TEST_CASE("a pull request gets read access, no token and no publication", "[workflow]") {
  for (const GoldenWorkflow& each : golden_workflows()) {
    INFO(each.name);
    CHECK(has(each.text, "permissions:\n  contents: read\n"));
    CHECK_FALSE(has(each.text, "pull_request_target"));
    if (each.facts.set != WorkflowSet::ci) continue;
    CHECK_FALSE(has(each.text, "id-token"));
    CHECK_FALSE(has(each.text, "publish-"));
    CHECK(has(each.text, "secrets.") == !each.facts.secrets.empty());
  }
}

TEST_CASE("builds, tests and publications alone get secrets, and trusted publications a token",
          "[workflow]") {
  for (const GoldenWorkflow& each : golden_workflows()) {
    for (const Job& job : each.workflow.jobs) {
      INFO(each.name << " " << job.id);
      const bool publication = job.id.starts_with("publish-");
      const bool installs = job.runner == JobRunner::of_installs;
      if (job.runner != JobRunner::hosted) {
        CHECK(has(job.steps, "secrets.") == (!each.facts.secrets.empty() && !installs));
      } else if (!publication) {
        CHECK_FALSE(has(yaml_of(job), "secrets."));
      }
      const bool trusted = job.permission == JobPermission::identity;
      CHECK(has(yaml_of(job), "id-token: write") == trusted);
      const bool comparison = job.id == "compare";
      const bool comments = each.facts.settings.comment == matrix::CommentPolicy::written;
      CHECK((job.permission == JobPermission::results) == (comparison && !comments));
      CHECK((job.permission == JobPermission::comment) == (comparison && comments));
      CHECK(has(yaml_of(job), "pull-requests: write") == (comparison && comments));
      CHECK((publication || comparison || job.permission == JobPermission::usual));
    }
  }
}

TEST_CASE("the job of a release on GitHub may write to the repository, and nothing else",
          "[workflow]") {
  WorkflowFacts facts = example();
  facts.set = WorkflowSet::release;
  facts.publish.push_back(
      {"github", matrix::TargetKind::github_release, PublishAuth::contents, "github", {}});
  const Workflow workflow = make_workflow(facts);
  size_t writing = 0;
  for (const Job& job : workflow.jobs) {
    const std::string text = yaml_of(job);
    const bool github = job.id == "publish-github";
    writing += github ? 1 : 0;
    INFO(job.id);
    CHECK(has(text, "contents: write") == github);
    CHECK(has(text, "GITHUB_TOKEN: ${{ github.token }}") == github);
    if (!github) continue;
    CHECK(
        has(text, "    permissions:\n      contents: write # for the tag and the release\n    c"));
    CHECK_FALSE(has(text, "id-token"));
    CHECK_FALSE(has(text, "secrets."));
  }
  CHECK(writing == 1);
}

TEST_CASE("the job of a bucket alone gets its keys", "[workflow]") {
  WorkflowFacts facts = example();
  facts.set = WorkflowSet::release;
  facts.publish.push_back({"bucket", matrix::TargetKind::s3, PublishAuth::aws, "bucket", {}});
  const Workflow workflow = make_workflow(facts);
  for (const Job& job : workflow.jobs) {
    const std::string text = yaml_of(job);
    INFO(job.id);
    const bool bucket = job.id == "publish-bucket";
    CHECK(has(text, "AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY }}") == bucket);
    CHECK(has(text, "AWS_ENDPOINT_URL_S3: ${{ vars.AWS_ENDPOINT_URL_S3 }}") == bucket);
    if (bucket) CHECK_FALSE(has(text, "write"));
  }
}

TEST_CASE("every action is pinned to a commit, with its version next to it", "[workflow]") {
  for (const GoldenWorkflow& each : golden_workflows()) {
    INFO(each.name);
    size_t pinned_uses = 0;
    for (const Pin& pin : kPins) {
      pinned_uses += count(each.text, "uses: " + pinned(pin.action) + "\n");
    }
    for (const char* below : {"restore", "save"}) {
      pinned_uses += count(each.text, "uses: " + pinned("actions/cache", below) + "\n");
    }
    const size_t local_uses =
        count(each.text, "uses: ./.github/actions/pinwheel # zizmor: ignore[self-repository]\n");
    CHECK(pinned_uses + local_uses == count(each.text, "uses: "));
  }
}

TEST_CASE("no step takes a plan, a result or a fingerprint from the checkout", "[workflow]") {
  for (const GoldenWorkflow& each : golden_workflows()) {
    INFO(each.name);
    const std::string& text = each.text;
    CHECK_FALSE(has(text, "hashFiles"));
    for (const char* file : {"plan.json", "last-night.txt", "in\n", "out\n"}) {
      const std::string place = "${{ runner.temp }}/pinwheel-run/" + std::string(file);
      CHECK(count(text, " " + std::string(file)) == 0);
      CHECK(count(text, "/" + std::string(file)) == count(text, place));
    }
    // Artifacts that are downloaded without a path go into the checkout.
    CHECK(count(text, "uses: " + pinned("actions/download-artifact")) ==
          count(text, "path: ${{ runner.temp }}/pinwheel-run\n") +
              count(text, "path: ${{ runner.temp }}/pinwheel-run/in\n") +
              count(text, "path: ${{ runner.temp }}/pinwheel-run/base\n") +
              count(text, "path: ${{ runner.temp }}/pinwheel-run/checkpoints\n"));
    // One artifact alone would be unpacked without a directory of its name, and attempts in one
    // directory could not be told apart.
    CHECK(count(text, "pattern: ") ==
          count(text, "pattern: '{plan,result-") + count(text, "pattern: '{plan,checkpoint."));
    CHECK_FALSE(has(text, "merge-multiple"));
  }
}

TEST_CASE("the action runs Python apart from the checkout", "[workflow]") {
  const std::string action = composite_action("1.2.3");
  CHECK(count(action, "python") ==
        count(action, "python3 -I -m venv") + count(action, "bin/python\" -I -m pip"));
}

TEST_CASE("a pull request runs the variants whose keys differ from those of its base",
          "[workflow]") {
  WorkflowFacts facts = example();
  CHECK_FALSE(has(yaml_of(make_workflow(facts)), "--changed-since"));
  facts.settings.pull_requests = matrix::PullRequestRuns::changed_keys;
  facts.settings.store = "s3://bucket/prefix,rw";
  const std::string text = yaml_of(make_workflow(facts));
  CHECK(has(text, "--changed-since ${{ github.event.pull_request.base.sha }} --format ids"));
  CHECK(has(text, "--store s3://bucket/prefix,ro"));
  CHECK(count(text, "${{ steps.keys.outputs.text }}") == 1);
  CHECK(has(text, "variants: ${{ steps.variants.outputs.text }}"));
  // The gate of a part requires only this part.
  CHECK(has(text, "--reuse-only --gate ${{ needs.plan.outputs.variants }}"));
  CHECK(has(text, "idle: ${{ steps.unchanged.outputs.idle }}"));
  CHECK(has(text, "if: steps.unchanged.outputs.idle != 'true'"));
  facts.settings.paths = {"src/**"};
  const std::string both = yaml_of(make_workflow(facts));
  CHECK(has(both, "idle: ${{ steps.idle.outputs.idle || steps.unchanged.outputs.idle }}"));
  CHECK(has(both, "steps.earlier.outcome != 'success' && steps.idle.outputs.idle != 'true'"));
  facts.set = WorkflowSet::nightly;
  CHECK_FALSE(has(yaml_of(make_workflow(facts)), "--changed-since"));
}

TEST_CASE("git decides paths without exceptions and quantifiers, GitHub all others", "[workflow]") {
  WorkflowFacts facts = example();
  CHECK_FALSE(decidable_paths(facts.settings));
  facts.settings.paths = {"src/**", "it's"};
  CHECK(decidable_paths(facts.settings));
  for (const char* path : {"!docs/**", "**.cc", "a?", "${{ x }}"}) {
    INFO(path);
    facts.settings.paths = {"src/**", path};
    CHECK_FALSE(decidable_paths(facts.settings));
    const std::string text = yaml_of(make_workflow(facts));
    CHECK(count(text, "  paths: " + yaml_list(facts.settings.paths) + "\n") == 2);
    CHECK_FALSE(has(text, "idle"));
  }
}

TEST_CASE("a workflow names the matrix that it was written from", "[workflow]") {
  for (const GoldenWorkflow& each : golden_workflows()) {
    INFO(each.name);
    CHECK(written_from(each.text) == "matrix/demo.yaml");
  }
  CHECK(written_from("name: mine\n").empty());
  CHECK(written_from("").empty());
  CHECK(workflow_name(example().settings, WorkflowSet::ci) == "pinwheel-ci");
  CHECK(workflow_name(settings().settings, WorkflowSet::release) == "pinwheel-ops-release");
}

TEST_CASE("a template keeps indentation, drops empty places and searches no values", "[workflow]") {
  CHECK(filled("\na: @X@\n  @BLOCK@\n  @NONE@\n",
               {{"X", "@BLOCK@"}, {"BLOCK", "b:\n  - c\n"}, {"NONE", ""}}) ==
        "a: @BLOCK@\n  b:\n    - c\n");
  CHECK(yaml_string("a\n\"b\"") == "\"a\\n\\\"b\\\"\"");
  CHECK(yaml_list({"x", "y: z"}) == "[\"x\", \"y: z\"]");
}

TEST_CASE("the job that installs a release has no identity and no secret, and others wait for it",
          "[workflow]") {
  WorkflowFacts facts = promoted();
  facts.set = WorkflowSet::release;
  const Workflow workflow = make_workflow(facts);
  const auto job_of = [&workflow](const std::string& id) {
    const auto found = std::ranges::find(workflow.jobs, id, &Job::id);
    REQUIRE(found != workflow.jobs.end());
    return *found;
  };
  const Job install = job_of("install-testpypi");
  CHECK(install.permission == JobPermission::usual);
  CHECK(install.environment.empty());
  CHECK(install.needs == std::vector<std::string>{"plan", "publish-testpypi"});
  const std::string text = yaml_of(install);
  for (const char* word : {"secrets.", "id-token", "github.token", "write"}) {
    INFO(word);
    CHECK(text.find(word) == std::string::npos);
  }
  CHECK(text.find("--step '${{ matrix.step }}' --reuse-only") != std::string::npos);
  CHECK(job_of("publish-pypi").needs == std::vector<std::string>{"install-testpypi"});
  // Only the first publication hands its record on.
  CHECK(job_of("publish-testpypi").steps.find("result-publish-testpypi-") != std::string::npos);
  CHECK(job_of("publish-pypi").steps.find("name: result-") == std::string::npos);
  CHECK(job_of("plan").steps.find("--stage install") != std::string::npos);
  CHECK(std::ranges::find(workflow.jobs, "list-2", &Job::id) == workflow.jobs.end());
  facts.through.clear();
  const Workflow direct = make_workflow(facts);
  CHECK(std::ranges::find(direct.jobs, "install-testpypi", &Job::id) == direct.jobs.end());
}

TEST_CASE("more install tests than one job has rows go to further jobs", "[workflow]") {
  WorkflowFacts facts = promoted();
  facts.set = WorkflowSet::release;
  facts.install_chunks = 2;
  const Workflow workflow = make_workflow(facts);
  const auto job_of = [&workflow](const std::string& id) {
    const auto found = std::ranges::find(workflow.jobs, id, &Job::id);
    REQUIRE(found != workflow.jobs.end());
    return *found;
  };
  const std::string listing = job_of("list-2").steps;
  CHECK(listing.find("--stage install --chunk 2/2") != std::string::npos);
  CHECK(listing.find("--stage test") == std::string::npos);
  CHECK(job_of("plan").steps.find("--stage install --chunk 1/2") != std::string::npos);
  const Job second = job_of("install-testpypi-2");
  CHECK(second.rows == "needs.list-2.outputs.installs-2");
  CHECK(second.needs == std::vector<std::string>{"plan", "list-2", "publish-testpypi"});
  const Job next = job_of("publish-pypi");
  CHECK(next.needs == std::vector<std::string>{"install-testpypi", "install-testpypi-2"});
  CHECK(next.condition ==
        "${{ !cancelled() && needs.install-testpypi.result == 'success' && "
        "(needs.install-testpypi-2.result == 'success' || "
        "needs.install-testpypi-2.result == 'skipped') }}");
}

}  // namespace pinwheel::ci
