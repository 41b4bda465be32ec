#include "ci/explain.h"

#include <fmt/format.h>

#include "ci/workflow.h"
#include "unit/catch.h"
#include "unit/golden.h"

namespace pinwheel::ci {
namespace {

const Error kShort{ErrorKind::config, "tests have too little evidence"};

/// A workflow with two chunks of rows that publishes to two targets.
PlannedWorkflow planned_set(WorkflowSet set) {
  PlannedWorkflow planned;
  planned.facts.set = set;
  planned.facts.matrix = "matrix/demo.yaml";
  planned.facts.channel = to_string(set);
  planned.facts.settings.name = "ops";
  planned.facts.settings.timeout = std::chrono::minutes(90);
  planned.facts.build_chunks = 2;
  planned.facts.test_chunks = 2;
  planned.facts.publish = {
      {"testpypi", matrix::TargetKind::testpypi, PublishAuth::trusted, "try", {}},
      {"wheels", matrix::TargetKind::directory, PublishAuth::none, {}, "dist/index"}};
  planned.warnings = {kShort};
  planned.unreachable = {{"test:cp311-cu130", "ran", plan::Evidence::loaded, "it has no GPU", ""}};
  return planned;
}

std::vector<PlannedWorkflow> all_sets() {
  std::vector<PlannedWorkflow> all;
  for (const WorkflowSet set : kWorkflowSets) all.push_back(planned_set(set));
  return all;
}

JobRow row(const std::string& step, const std::string& variant,
           std::optional<std::vector<std::string>> runner, int minutes) {
  JobRow made{step, step, step, variant, std::move(runner), {}, minutes};
  std::ranges::replace(made.name, ':', ' ');
  std::ranges::replace(made.artifact, ':', '-');
  return made;
}

std::vector<JobRow> all_rows() {
  std::vector<JobRow> rows = {row("build:cpu", "cp311-cpu", {{"ubuntu-24.04"}}, 3),
                              row("build:cu13", "cp311-cu130", {{"big"}}, 40),
                              row("sdist", "cp311-cpu", {{"ubuntu-24.04"}}, 1),
                              row("test:cp311-cpu", "cp311-cpu", {{"ubuntu-24.04"}}, 2),
                              row("test:cp311-cu130", "cp311-cu130", {{"self-hosted", "gpu"}}, 5),
                              row("test:cp312-cu130", "cp312-cu130", std::nullopt, 5)};
  rows[4].needs = {"build:cu13"};
  return rows;
}

plan::Outline two_builds() {
  plan::Outline outline;
  outline.builds.resize(2);
  outline.builds[0].cls.id = "cpu";
  outline.builds[0].tests = {"cp311-cpu"};
  outline.builds[1].cls.id = "cu13";
  outline.builds[1].tests = {"cp311-cu130", "cp312-cu130"};
  return outline;
}

Result<Explanation> explained(const std::string& name) {
  return explain(name, all_sets(), all_rows(), two_builds());
}

/// A workflow whose build for CUDA is split.
PlannedWorkflow planned_split_set() {
  PlannedWorkflow planned = planned_set(WorkflowSet::release);
  planned.facts.device_chunks = 1;
  return planned;
}

std::vector<JobRow> split_rows() {
  std::vector<JobRow> rows = all_rows();
  rows.push_back(row("device:cu13@8.0", "cp311-cu130", {{"big"}}, 12));
  rows.push_back(row("device:cu13@9.0", "cp311-cu130", {{"big"}}, 15));
  rows[1].needs = {"device:cu13@8.0", "device:cu13@9.0"};
  return rows;
}

}  // namespace

TEST_CASE("jobs and rows are explained as in tests/data/workflows/explained.txt", "[explain]") {
  std::string text;
  for (const char* name :
       {"plan", "list-2", "build", "build-2", "test", "test-2", "gate", "publish-testpypi",
        "publish-wheels", "remember", "build:cpu", "build:cu13", "sdist", "test:cp311-cu130"}) {
    const auto explanation = explained(name);
    REQUIRE(explanation);
    text += explanation->text + explanation->json.dump() + "\n\n";
  }
  CHECK(text == testing::golden("tests/data/workflows/explained.txt", text));
}

TEST_CASE("every job of a workflow is explained, with the needs and the limit of its YAML",
          "[explain]") {
  for (const PlannedWorkflow& planned : all_sets()) {
    for (const Job& job : make_workflow(planned.facts).jobs) {
      INFO(job.id);
      const auto by_id = explain(job.id, {planned}, all_rows(), two_builds());
      const auto by_name = explain(job.name, {planned}, all_rows(), two_builds());
      REQUIRE(by_id);
      REQUIRE(by_name);
      CHECK(by_id->json == by_name->json);
      CHECK(by_id->json.at("id") == job.id);
      CHECK(by_id->json.at("needs") == job.needs);
      CHECK(by_id->json.at("limit") == job.limit);
      CHECK(by_id->json.at("minutes").get<int>() >= 1);
      CHECK_FALSE(by_id->json.at("because").get<std::string>().empty());
    }
  }
}

TEST_CASE("the jobs of a split build say what they compile", "[explain]") {
  const auto job = explain("device", {planned_split_set()}, split_rows(), two_builds());
  REQUIRE(job);
  CHECK(job->json.at("minutes") == 15);
  CHECK(job->json.at("runners") == nlohmann::ordered_json::array({"big"}));
  CHECK(job->json.at("needs") == nlohmann::ordered_json::array({"plan"}));
  const auto device = explain("device:cu13@8.0", {planned_split_set()}, split_rows(), two_builds());
  REQUIRE(device);
  CHECK(device->json.at("because") ==
        "`build.split` compiles the device code of each architecture in a job of its own");
  CHECK(device->json.at("variants") ==
        nlohmann::ordered_json::array({"cp311-cu130", "cp312-cu130"}));
  CHECK(device->json.at("needs").empty());
  const auto build = explain("build:cu13", {planned_split_set()}, split_rows(), two_builds());
  REQUIRE(build);
  CHECK(build->text.find("after     plan, device:cu13@8.0, device:cu13@9.0\n") !=
        std::string::npos);
  // The time of the job with the builds is that of its own rows.
  CHECK(explain("build", {planned_split_set()}, split_rows(), two_builds())->json.at("minutes") ==
        40);
}

TEST_CASE("a row is named by its step, by its name or by its artifact", "[explain]") {
  const auto by_step = explained("build:cu13");
  REQUIRE(by_step);
  for (const char* name : {"build cu13", "build-cu13"}) {
    const auto other = explained(name);
    REQUIRE(other);
    CHECK(other->text == by_step->text);
  }
}

TEST_CASE("a name without a job is an error that suggests one, and so is a test without a runner",
          "[explain]") {
  const auto unknown = explained("publish-wheel");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().kind == ErrorKind::usage);
  CHECK(unknown.error().message == "no job is named `publish-wheel`");
  CHECK(unknown.error().hint.find("`publish-wheels`") != std::string::npos);
  CHECK(explained("build cpuu").error().hint.find("`build:cpu`") != std::string::npos);
  const auto unplaced = explained("test:cp312-cu130");
  REQUIRE_FALSE(unplaced);
  CHECK(unplaced.error().kind == ErrorKind::usage);
  CHECK(unplaced.error().message == "`test:cp312-cu130` gets no job");
}

TEST_CASE("jobs that stop at tests with too little evidence have the warnings of their workflows",
          "[explain]") {
  for (const char* name : {"test", "gate"}) CHECK(explained(name)->warnings.size() == 3);
  for (const char* name : {"publish-testpypi", "publish-wheels"}) {
    CHECK(explained(name)->warnings.size() == 2);
  }
  for (const char* name : {"plan", "list-2", "build", "remember"}) {
    CHECK(explained(name)->warnings.empty());
  }
  CHECK(explained("test:cp311-cu130")->warnings.size() == 1);
  CHECK(explained("test:cp311-cpu")->warnings.empty());
}

}  // namespace pinwheel::ci
