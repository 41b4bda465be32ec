#include <fmt/format.h>

#include <string>
#include <vector>

#include "ci/gitlab.h"
#include "ci/kubernetes.h"
#include "ci/workflow.h"
#include "unit/catch.h"
#include "unit/golden.h"

// Whole pipelines and manifests are in tests/data/workflows, written again like workflows
// (workflow_test.cc). Here are the rules that hold for all of them.

namespace pinwheel::ci {
namespace {

JobRow row(const std::string& step, const std::string& artifact,
           const std::vector<std::string>& labels = {"ubuntu-24.04"}) {
  JobRow made;
  made.step = step;
  made.name = step;
  made.artifact = artifact;
  made.variant = "cp312-cpu";
  made.runner = labels;
  return made;
}

/// Two builds, a test on a machine with a GPU and one without, and three publications.
PlannedWorkflow planned_example(WorkflowSet set) {
  PlannedWorkflow workflow;
  workflow.facts.set = set;
  workflow.facts.matrix = "matrix/demo.yaml";
  workflow.facts.settings.container = {"registry.example/builder:1", "apt-get install -y git"};
  workflow.facts.settings.drivers = {{"cuda/*", "v=580; install 'it' $v"}};
  workflow.facts.settings.store = "s3://bucket/prefix";
  workflow.facts.channel = set == WorkflowSet::ci ? "" : std::string(to_string(set));
  workflow.facts.publish = {
      {"testpypi", matrix::TargetKind::testpypi, PublishAuth::trusted, "testpypi", {}},
      {"pypi", matrix::TargetKind::pypi, PublishAuth::trusted, "pypi", {}},
      {"wheels", matrix::TargetKind::directory, PublishAuth::none, {}, "dist/index"}};
  workflow.facts.through = "testpypi";
  workflow.rows.builds = {row("build:cu13", "build-cu13", {"self-hosted", "big"}),
                          row("build:cpu-aarch64", "build-cpu-aarch64", {"ubuntu-24.04-arm"}),
                          row("sdist", "sdist")};
  JobRow gpu = row("test:cp312-cu13", "test-cp312-cu13", {"gpu-machine"});
  gpu.needs = {"build:cu13"};
  gpu.gpu = plan::NeedsGpu::yes;
  gpu.compute = "cuda/13.0";
  gpu.driver = "v=580; install 'it' $v";
  JobRow arm = row("test:cp312-cpu-aarch64", "test-cp312-cpu-aarch64", {"ubuntu-24.04-arm"});
  arm.needs = {"build:cpu-aarch64"};
  arm.arch = "aarch64";
  workflow.rows.builds[1].arch = "aarch64";
  workflow.rows.tests = {gpu, arm};
  workflow.rows.installs = {row("install:testpypi/cp312", "install-testpypi-cp312")};
  return workflow;
}

/// The example, with one of its builds split.
PlannedWorkflow planned_split(WorkflowSet set) {
  PlannedWorkflow workflow = planned_example(set);
  workflow.facts.device_chunks = 1;
  workflow.rows.devices = {row("device:cu13@8.0", "device-cu13-8.0-0a", {"self-hosted", "big"}),
                           row("device:cu13@9.0", "device-cu13-9.0-0b", {"self-hosted", "big"})};
  workflow.rows.builds[0].needs = {"device:cu13@8.0", "device:cu13@9.0"};
  return workflow;
}

/// More rows than one pipeline may have.
PlannedWorkflow planned_large() {
  PlannedWorkflow workflow = planned_example(WorkflowSet::ci);
  workflow.rows.builds.clear();
  workflow.rows.tests.clear();
  for (int i = 0; i < 60; ++i) {
    workflow.rows.builds.push_back(row(fmt::format("build:c{}", i), fmt::format("build-c{}", i)));
  }
  for (int i = 0; i < 450; ++i) {
    JobRow test = row(fmt::format("test:v{}", i), fmt::format("test-v{}", i));
    test.needs = {fmt::format("build:c{}", i % 60)};
    workflow.rows.tests.push_back(test);
  }
  return workflow;
}

size_t occurrences(const std::string& text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("pipelines of GitLab are those of tests/data/workflows", "[gitlab]") {
  for (const WorkflowSet set : kWorkflowSets) {
    const auto pipelines = gitlab_pipelines(planned_example(set), "1.2.3");
    REQUIRE(pipelines);
    REQUIRE(pipelines->size() == 1);
    const Pipeline& only = pipelines->front();
    CHECK(only.name == fmt::format("pinwheel-{}.yml", to_string(set)));
    const std::string file = fmt::format("tests/data/workflows/gitlab-{}.yml", to_string(set));
    CHECK(only.text == testing::golden(file, only.text));
    CHECK(written_from(only.text) == "matrix/demo.yaml");
  }
}

TEST_CASE("a pipeline with more than 200 rows has children of at most 200", "[gitlab]") {
  const auto pipelines = gitlab_pipelines(planned_large(), "1.2.3");
  REQUIRE(pipelines);
  std::vector<std::string> names;
  size_t rows = 0;
  for (const Pipeline& each : *pipelines) {
    names.push_back(each.name);
    const size_t here = occurrences(each.text, "variables: {STEP: ");
    CHECK(here <= kGitLabRowLimit);
    rows += here;
    CHECK(written_from(each.text) == "matrix/demo.yaml");
  }
  CHECK(rows == 510);
  CHECK(names == std::vector<std::string>{"pinwheel-ci.yml", "pinwheel-ci-build-1.yml",
                                          "pinwheel-ci-test-1.yml", "pinwheel-ci-test-2.yml",
                                          "pinwheel-ci-test-3.yml"});
  const std::string& parent = pipelines->front().text;
  CHECK(occurrences(parent, "strategy: depend") == 4);
  CHECK_FALSE(contains(parent, "STEP: "));
  CHECK(contains((*pipelines)[1].text, "pipeline: $PARENT_PIPELINE_ID"));
}

TEST_CASE("a build that may outlast its job has a chain of jobs", "[gitlab]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::ci);
  workflow.rows.builds[0].links = 3;
  workflow.facts.build_links = 3;
  const std::string text = gitlab_pipelines(workflow, "1.2.3")->front().text;
  CHECK(contains(text,
                 "pinwheel build --plan .pinwheel-run/plan.json --step \\\"$STEP\\\" $UNFINISHED"));
  CHECK(contains(text, R"("pinwheel-ci build:cu13 then 3":)"));
  CHECK(contains(text, R"(needs: ["pinwheel-ci plan", "pinwheel-ci build:cu13 then 2"])"));
  // The test needs the last of them, and another build has one job.
  CHECK(contains(text, R"(needs: ["pinwheel-ci plan", "pinwheel-ci build:cu13 then 3"])"));
  CHECK(contains(text, R"(needs: ["pinwheel-ci plan", "pinwheel-ci build:cpu-aarch64"])"));
  CHECK(occurrences(text, "PINWHEEL_TIME_LIMIT: ") == 3);
  CHECK(occurrences(text, "UNFINISHED: --unfinished-ok") == 2);
  CHECK(occurrences(text, R"($CI_JOB_ID, ".pinwheel-run/checkpoints/build-cu13"])") == 3);
}

TEST_CASE("the device code of a split build has jobs that the build needs", "[gitlab]") {
  PlannedWorkflow workflow = planned_split(WorkflowSet::ci);
  const std::string text = gitlab_pipelines(workflow, "1.2.3")->front().text;
  CHECK(contains(text, ".pinwheel-ci-device:\n  extends: .pinwheel-ci\n  stage: pinwheel-build\n"));
  CHECK(contains(text,
                 "\"pinwheel-ci device:cu13@8.0\":\n  extends: .pinwheel-ci-device\n"
                 "  needs: [\"pinwheel-ci plan\"]\n  tags: [\"self-hosted\", \"big\"]\n"));
  CHECK(contains(text, R"(variables: {STEP: "device:cu13@9.0", RESULT: "device-cu13-9.0-0b")"));
  const std::string needs = R"(needs: ["pinwheel-ci plan", "pinwheel-ci device:cu13@8.0", )"
                            R"("pinwheel-ci device:cu13@9.0"])";
  CHECK(occurrences(text, needs) == 1);
  // A test needs its build only, and another build needs the plan only.
  CHECK(contains(text, R"(needs: ["pinwheel-ci plan", "pinwheel-ci build:cu13"])"));
  CHECK(occurrences(text, "device:cu13@8.0") == 3);
  CHECK_FALSE(contains(gitlab_pipelines(planned_example(WorkflowSet::ci), "1.2.3")->front().text,
                       "device"));
  // Artifacts come only from needed jobs, so each job of a chain needs them.
  workflow.rows.builds[0].links = 2;
  workflow.facts.build_links = 2;
  const std::string chain = gitlab_pipelines(workflow, "1.2.3")->front().text;
  CHECK(contains(chain, R"(needs: ["pinwheel-ci plan", "pinwheel-ci build:cu13", )"
                        R"("pinwheel-ci device:cu13@8.0", "pinwheel-ci device:cu13@9.0"])"));
  CHECK(occurrences(chain, needs) == 1);
  CHECK(occurrences(chain, "$UNFINISHED") == 1);
}

TEST_CASE("a build is in the same child pipeline as its device code", "[gitlab]") {
  PlannedWorkflow workflow = planned_large();
  workflow.facts.device_chunks = 1;
  for (JobRow& build : workflow.rows.builds) {
    const std::string name = build.step.substr(build.step.find(':') + 1);
    for (const char* const architecture : {"8.0", "9.0", "10.0", "12.0"}) {
      const std::string step = fmt::format("device:{}@{}", name, architecture);
      workflow.rows.devices.push_back(row(step, fmt::format("device-{}-{}", name, architecture)));
      build.needs.push_back(step);
    }
  }
  const auto pipelines = gitlab_pipelines(workflow, "1.2.3");
  REQUIRE(pipelines);
  CHECK(pipelines->size() == 1 + 2 + 3);
  size_t jobs = 0;
  for (const Pipeline& each : *pipelines) {
    INFO(each.name);
    const size_t here = occurrences(each.text, "variables: {STEP: ");
    CHECK(here <= kGitLabRowLimit);
    jobs += here;
    const size_t builds = occurrences(each.text, "variables: {STEP: \"build:");
    CHECK(occurrences(each.text, "variables: {STEP: \"device:") == 4 * builds);
    CHECK(occurrences(each.text, "{job: \"pinwheel-ci device:") == 4 * builds);
    CHECK(occurrences(each.text, ".pinwheel-ci-device:\n") == (builds == 0 ? 0 : 1));
  }
  CHECK(jobs == 60 * 5 + 450);
}

TEST_CASE("device code is a stage of its own in a manifest", "[kubernetes]") {
  const std::string text = *kubernetes_manifest(planned_split(WorkflowSet::ci), "1.2.3");
  CHECK(contains(text, "  device: |\n    device:cu13@8.0\n    device:cu13@9.0\n"));
  CHECK(contains(text, "      device) exec pinwheel build --plan \"$plan\" --step \"$STEP\" "));
  CHECK(contains(text, "pinwheel/stage: device}"));
  CHECK(contains(text, "- {name: STAGE, value: device}"));
  const size_t plan = text.find("name: pinwheel-ci-plan\n");
  const size_t device = text.find("name: pinwheel-ci-device\n");
  const size_t build = text.find("name: pinwheel-ci-build\n");
  REQUIRE(device != std::string::npos);
  CHECK((plan < device && device < build));
  CHECK_FALSE(contains(*kubernetes_manifest(planned_example(WorkflowSet::ci), "1.2.3"), "device"));
}

TEST_CASE("the jobs of a chain count as rows, and stay in one pipeline", "[gitlab]") {
  PlannedWorkflow workflow = planned_large();
  for (JobRow& build : workflow.rows.builds) build.links = 7;
  const auto pipelines = gitlab_pipelines(workflow, "1.2.3");
  REQUIRE(pipelines);
  size_t jobs = 0;
  for (const Pipeline& each : *pipelines) {
    const size_t here = occurrences(each.text, "variables: {STEP: ");
    CHECK(here <= kGitLabRowLimit);
    jobs += here;
  }
  CHECK(jobs == 60 * 7 + 450);
  CHECK(pipelines->size() == 1 + 3 + 3);
  CHECK(contains((*pipelines)[1].text, R"(needs: [{pipeline: $PARENT_PIPELINE_ID, job: )"
                                       R"("pinwheel-ci plan"}, {job: "pinwheel-ci build:c0"}])"));
}

TEST_CASE("pods that stop a build in time are repeated by others", "[kubernetes]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::ci);
  const std::string alone = *kubernetes_manifest(workflow, "1.2.3");
  CHECK_FALSE(contains(alone, "PINWHEEL_TIME_LIMIT"));
  workflow.rows.builds[0].links = 3;
  const std::string chain = *kubernetes_manifest(workflow, "1.2.3");
  CHECK(occurrences(chain, "PINWHEEL_TIME_LIMIT, value: ") == 1);
  CHECK(occurrences(chain, "backoffLimitPerIndex: 4") == 1);
  CHECK(occurrences(chain, "backoffLimitPerIndex: 2") ==
        occurrences(alone, "backoffLimitPerIndex: 2") - 1);
}

TEST_CASE("a pipeline with children needs a store that its jobs may write", "[gitlab]") {
  PlannedWorkflow workflow = planned_large();
  for (const char* const store : {"", "s3://bucket/prefix,ro"}) {
    workflow.facts.settings.store = store;
    const auto pipelines = gitlab_pipelines(workflow, "1.2.3");
    REQUIRE_FALSE(pipelines);
    CHECK(pipelines.error().kind == ErrorKind::config);
    CHECK(contains(pipelines.error().message, "has 510 builds and tests"));
  }
  workflow.rows.tests.resize(kGitLabRowLimit - workflow.rows.builds.size());
  CHECK(gitlab_pipelines(workflow, "1.2.3")->size() == 1);
}

TEST_CASE("tag filters become expressions, and an excluded tag has precedence", "[gitlab]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::release);
  workflow.facts.settings.tags = {"v*", "a.b/**", "!v*-rc"};
  const std::string text = gitlab_pipelines(workflow, "1.2.3")->front().text;
  const size_t never = text.find(R"($CI_COMMIT_TAG =~ /^v[^\\/]*-rc$/")");
  const size_t plain = text.find(R"($CI_COMMIT_TAG =~ /^v[^\\/]*$/")");
  REQUIRE(never != std::string::npos);
  REQUIRE(plain != std::string::npos);
  CHECK(never < plain);
  CHECK(contains(text, R"(/^a\\.b\\/.*$/)"));
}

TEST_CASE("paths become patterns of GitLab, or have no effect and a warning", "[gitlab]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::ci);
  workflow.facts.settings.paths = {"src/**", "a.py"};
  CHECK(contains(gitlab_pipelines(workflow, "1.2.3")->front().text,
                 R"(changes: ["src/**/*", "a.py"])"));
  CHECK(gitlab_warnings(workflow).empty());
  workflow.facts.settings.paths.emplace_back("!src/x");
  CHECK_FALSE(contains(gitlab_pipelines(workflow, "1.2.3")->front().text, "changes:"));
  CHECK(gitlab_warnings(workflow).size() == 1);
}

TEST_CASE("publications of GitLab run one after the other, at most nine", "[gitlab]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::release);
  const std::string text = gitlab_pipelines(workflow, "1.2.3")->front().text;
  size_t before = 0;
  for (const char* const stage : {"stage: pinwheel-publish-1\n", "stage: pinwheel-install\n",
                                  "stage: pinwheel-publish-2\n", "stage: pinwheel-publish-3\n"}) {
    INFO(stage);
    CHECK(text.find(stage) > before);
    before = text.find(stage);
  }
  workflow.facts.publish.resize(10, workflow.facts.publish.back());
  CHECK(contains(gitlab_pipelines(workflow, "1.2.3").error().message, "to 10 targets"));
}

TEST_CASE("credentials of publications are named, for their environments", "[gitlab]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::release);
  CHECK(gitlab_warnings(workflow).empty());
  workflow.facts.publish = {
      {"own.index", matrix::TargetKind::index, PublishAuth::token, "protected", {}},
      {"bucket", matrix::TargetKind::s3, PublishAuth::aws, "bucket", {}},
      {"trusting", matrix::TargetKind::index, PublishAuth::trusted, "trusting", {}}};
  const std::vector<Error> warnings = gitlab_warnings(workflow);
  REQUIRE(warnings.size() == 3);
  CHECK(contains(warnings[0].message, "`PINWHEEL_TOKEN_OWN_INDEX`"));
  CHECK(contains(warnings[0].hint, "`protected`"));
  CHECK(contains(warnings[1].message, "`AWS_SECRET_ACCESS_KEY`"));
  CHECK(contains(warnings[2].hint, "keep publish-trusting"));
}

TEST_CASE("manifests for Kubernetes are those of tests/data/workflows", "[kubernetes]") {
  const auto manifest = kubernetes_manifest(planned_example(WorkflowSet::release), "1.2.3");
  REQUIRE(manifest);
  CHECK(*manifest == testing::golden("tests/data/workflows/kubernetes-release.yaml", *manifest));
  CHECK(written_from(*manifest) == "matrix/demo.yaml");
  // It publishes nothing, and installs no driver.
  CHECK(kubernetes_warnings(planned_example(WorkflowSet::release)).size() == 2);
}

TEST_CASE("a manifest needs an image, and names that fit", "[kubernetes]") {
  PlannedWorkflow workflow = planned_example(WorkflowSet::ci);
  workflow.facts.settings.name = std::string(40, 'a');
  CHECK(contains(kubernetes_manifest(workflow, "1").error().message, "too long"));
  workflow.facts.settings.name = "My_Ops";
  CHECK(contains(kubernetes_manifest(workflow, "1").error().message, "no name that Kubernetes"));
  workflow.facts.settings.name.clear();
  workflow.facts.settings.container.image.clear();
  CHECK(contains(kubernetes_manifest(workflow, "1").error().message, "no image"));
}

}  // namespace pinwheel::ci
